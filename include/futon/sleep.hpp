// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include <futon/deadline.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/promise.hpp>
#include <futon/select.hpp>
#include <futon/wait_result.hpp>

namespace futon {

/// A promise that settles when the deadline has come, or the stop, on the calling thread's agent. It blocks no thread.
///
///     co_await futon::sleep_for(20ms);
///
/// Settles  with `ok` once the deadline has come, never before it; with `cancelled` if the stop came first
/// Cancel   the stop token; the end of the agent. Dropping the promise lets the time pass, and keeps the loop running
/// Throws   by the promise: NoExecutor where the agent has no executor, or one that keeps no timers
/// Cost     one coroutine frame and one promise
inline Promise<WaitResult> sleep_until(Deadline deadline, std::stop_token stop = {}) {
    auto first = select_async(timeout(deadline), stop_requested(std::move(stop)));
    const auto chosen = co_await first;
    co_return chosen.index() == 0 ? WaitResult::ok : WaitResult::cancelled;
}

/// The same, for this time from now on.
template <class Rep, class Period>
Promise<WaitResult> sleep_for(std::chrono::duration<Rep, Period> time, std::stop_token stop = {}) {
    return sleep_until(Deadline(time), std::move(stop));
}

}  // namespace futon
