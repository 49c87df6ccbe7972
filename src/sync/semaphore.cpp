// SPDX-License-Identifier: MIT
#include <futon/sync/semaphore.hpp>

#include <stdexcept>
#include <string>
#include <system_error>

#include <futon/core/driver/block.hpp>

#include "base/error.hpp"
#include "platform/race_detector.hpp"

namespace futon {

constinit const core::ArbiterBase<std::uint64_t>::Rules detail::PermitRules::lasting =
    core::Arbiter<detail::PermitRules>::own_rules;

bool detail::PermitArbiter::take_past_queue(std::uint64_t count) noexcept {
    if (!take_in_one_step(word_.load(), count)) return take_contended(rules, count);
    platform::note_acquire(&word_);
    return true;
}

/// [last-touch] The exchange.
bool detail::PermitArbiter::give_back_past_queue(core::ResourceState most, std::uint64_t count) noexcept {
    platform::note_release(&word_);
    std::uint64_t seen = word_.load();
    return give_back_in_one_step(seen, count, most) || release_contended(rules, count, most).has_value();
}

WaitResult Semaphore::acquire_contended(std::uint64_t count) {
    return core::block(Acquiring(*this, count));
}

WaitResult Semaphore::acquire_contended(std::uint64_t count, const Limits& limits) {
    return core::block(Acquiring(*this, count), limits);
}

void Semaphore::throw_impossible(const char* what, std::uint32_t most) {
    throw std::invalid_argument(std::string(what) + ": the number of permits must be from 1 to " +
                                std::to_string(most));
}

void Semaphore::throw_too_many(const char* what, std::uint32_t most) {
    detail::throw_error(std::errc::value_too_large, what, ("more permits than " + std::to_string(most)).c_str());
}

}  // namespace futon
