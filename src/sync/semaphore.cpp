// SPDX-License-Identifier: MIT
#include <futon/sync/semaphore.hpp>

#include <stdexcept>
#include <string>
#include <system_error>

#include <futon/core/block.hpp>

#include "platform/race_detector.hpp"

namespace futon {

using detail::Arbiter;

const Arbiter::Rules Semaphore::rules = {
    .can_serve = [](Arbiter::State permits, std::uint64_t count) noexcept { return permits >= count; },
    .taken = [](Arbiter::State permits,
                std::uint64_t count) noexcept { return permits - static_cast<Arbiter::State>(count); },
    .returned = [](Arbiter::State permits,
                   std::uint64_t count) noexcept { return permits + static_cast<Arbiter::State>(count); },
    .may_serve = [](Arbiter::State permits) noexcept { return permits != 0; },
    .may_serve_more = [](Arbiter::State permits, std::uint64_t) noexcept { return permits != 0; },
};

bool Semaphore::try_take_contended(std::uint32_t count) noexcept {
    if (!Arbiter::try_take(word_, rules, count)) return false;
    core::probe::acquired(this);
    return true;
}

WaitResult Semaphore::acquire_contended(std::uint32_t count, TimeLimit limit, const std::stop_token& stop) {
    return core::block(Acquiring(*this, count), limit, stop);
}

bool Semaphore::release_contended(std::uint32_t count) noexcept {
    // Others may acquire meanwhile, or release: then the sum is a little wrong, and still far below what the word can hold.
    if (count > max() || available() > max() - count) return false;
    Arbiter::release(word_, rules, count);
    return true;
}

void Semaphore::throw_impossible(const char* what) {
    throw std::invalid_argument(std::string(what) + ": the number of permits must be from 1 to " +
                                std::to_string(max()));
}

void Semaphore::throw_too_many(const char* what) {
    throw std::system_error(std::make_error_code(std::errc::value_too_large),
                            std::string(what) + ": more permits than " + std::to_string(max()));
}

}  // namespace futon
