// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>
#include <string_view>

namespace futon {

/// How a wait ended. After a wait with limits, look at it: only after `ok` has the caller what it waited for.
///
///     const auto result = ready.wait({50ms, stop});
///     if (result == futon::WaitResult::timed_out) retry();
///     else log(to_string(result));
///
/// Spec  the strings that Atomics.wait and Atomics.waitAsync return; `cancelled` is futon's own.
enum class WaitResult : std::uint8_t {
    ok,         ///< a notify dequeued this waiter and counted it; for any other operation: it is done
    not_equal,  ///< the word did not hold the expected value: this waiter was not enqueued
    timed_out,  ///< the deadline came first
    cancelled,  ///< the stop came first, or the agent ended of a coroutine of another library
};

/// The specification's spelling: "ok", "not-equal", "timed-out", and "cancelled".
constexpr std::string_view to_string(WaitResult result) noexcept;

}  // namespace futon

#include <futon/detail/base/wait_result_names.hpp>  // to_string

#include <futon/detail/end.hpp>
