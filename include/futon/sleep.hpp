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

namespace detail {

/// `function` is its name in errors; it outlives the sleep.
FUTON_API Promise<WaitResult> sleep(const char* function, Deadline deadline, std::stop_token stop);

}  // namespace detail

/// Waits without blocking a thread: a promise that settles on the calling thread's agent when the deadline or the stop
/// comes.
///
///     co_await futon::sleep_for(20ms);
///     if (++count % 64 == 0) co_await futon::sleep_for(0ms);   // yields to the loop: due timers, posted jobs, a stop
///
/// Settles  with `ok` once the deadline has passed, never before; with `cancelled` if the stop came first. Never inside
///          the call: with no time left it still lets posted jobs run first
/// Cancel   the stop token; the end of the agent. Dropping the promise does not end the sleep, which keeps the loop
///          running
/// Throws   NoExecutor; std::bad_alloc. The promise is rejected with NoExecutor if the agent's executor keeps no
///          timers, and may be rejected with std::bad_alloc if no time is left
/// Cost     one coroutine frame and one promise
[[nodiscard]] inline Promise<WaitResult> sleep_until(Deadline deadline, std::stop_token stop = {}) {
    return detail::sleep("futon::sleep_until", deadline, std::move(stop));
}

/// The same for a duration from now.
template <class Rep, class Period>
[[nodiscard]] Promise<WaitResult> sleep_for(std::chrono::duration<Rep, Period> time, std::stop_token stop = {}) {
    return detail::sleep("futon::sleep_for", Deadline(time), std::move(stop));
}

}  // namespace futon

#include <futon/detail/end.hpp>
