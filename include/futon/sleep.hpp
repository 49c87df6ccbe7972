// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <utility>

#include <futon/deadline.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/promise.hpp>
#include <futon/wait_result.hpp>

namespace futon {

/// A promise that settles when the deadline has come, or the stop, on the calling thread's agent. It blocks no thread.
///
///     co_await futon::sleep_for(20ms);
///
/// Settles  with `ok` once the deadline has come, never before it; with `cancelled` if the stop came first. Never inside the
///          call: a sleep of no time lets what is posted already run first
/// Cancel   the stop token; the end of the agent. Dropping the promise lets the time pass, and keeps the loop running
/// Throws   NoExecutor; std::bad_alloc; by the promise a NoExecutor if the agent's executor keeps no timers, and a
///          std::bad_alloc for a sleep of no time
/// Cost     one coroutine frame and one promise
[[nodiscard]] FUTON_API Promise<WaitResult> sleep_until(Deadline deadline, std::stop_token stop = {});

/// The same, for this time from now on.
template <class Rep, class Period>
[[nodiscard]] Promise<WaitResult> sleep_for(std::chrono::duration<Rep, Period> time, std::stop_token stop = {}) {
    return sleep_until(Deadline(time), std::move(stop));
}

}  // namespace futon

#include <futon/detail/end.hpp>
