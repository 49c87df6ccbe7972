// SPDX-License-Identifier: MIT
#include <futon/executor.hpp>

#include <exception>
#include <utility>

#include <futon/detail/contract.hpp>

namespace futon {

void Executor::arm(Timer&, std::chrono::steady_clock::time_point) noexcept {
    detail::contract_violated("an executor that keeps no timers is asked to arm one");
}

void Executor::disarm(Timer&) noexcept {
    detail::contract_violated("an executor that keeps no timers is asked to disarm one");
}

void Executor::report_unhandled(std::exception_ptr exception) noexcept {
    // Out of a noexcept function: ends the program and names the exception.
    std::rethrow_exception(std::move(exception));
}

}  // namespace futon
