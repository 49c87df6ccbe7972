// SPDX-License-Identifier: MIT
#include <futon/sync/semaphore.hpp>

#include <stdexcept>
#include <string>
#include <system_error>

#include <futon/core/driver/block.hpp>

#include "base/error.hpp"

namespace futon {

constinit const core::ArbiterBase<std::uint64_t>::Rules detail::PermitRules::lasting =
    core::Arbiter<detail::PermitRules>::own_rules;

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
