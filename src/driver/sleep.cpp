// SPDX-License-Identifier: MIT
#include <futon/sleep.hpp>

#include <utility>

#include <futon/agent.hpp>
#include <futon/core/loop/agent_waiter.hpp>
#include <futon/promise_combine.hpp>
#include <futon/select.hpp>

namespace futon::detail {

/// A lambda would have no linkage, and the coroutine that calls it has one.
struct Pass {
    void operator()() const noexcept {}
};

FUTON_LOCAL Promise<WaitResult> begin_sleep(const char* function, Deadline deadline, std::stop_token stop) {
    if (deadline.is_due()) co_await fulfilled().then(Pass());  // others run meanwhile
    core::require_timers(Agent::current(), deadline, function);
    auto first = select_async(stop_requested(std::move(stop)), timeout(deadline));
    const auto chosen = co_await first;
    co_return chosen.index() == 0 ? WaitResult::cancelled : WaitResult::ok;
}

Promise<WaitResult> sleep(const char* function, Deadline deadline, std::stop_token stop) {
    Agent::current().require_executor_for_wait(function);
    return begin_sleep(function, deadline, std::move(stop));
}

}  // namespace futon::detail
