// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <type_traits>

#include <futon/wait_result.hpp>

// The results of waits at a Condition, besides a WaitResult.
namespace futon {

/// Whether the predicate of a wait holds, and if not, what ended the wait. Converts to bool: true if the predicate
/// holds. Most callers need only that; ask `result` to tell a stop from a timeout.
///
///     const auto answer = ready.wait(hold, has_items, {5ms, stop});
///     if (!answer) log(answer.result() == futon::WaitResult::cancelled ? "stopped" : "late");
class PredicateResult {
public:
    /// `ended` says why the wait ended if the predicate does not hold: `timed_out` or `cancelled`.
    constexpr PredicateResult(bool holds, WaitResult ended) noexcept : result_(holds ? WaitResult::ok : ended) {}

    /// Whether the predicate holds: the guard then protects what it has looked at.
    ///
    ///     if (ready.wait(hold, has_items, 5ms)) take_item();
    constexpr operator bool() const noexcept { return result_ == WaitResult::ok; }

    /// `ok` if it holds, even if the limits were over as well; else `timed_out` or `cancelled`, whichever ended the
    /// wait.
    constexpr WaitResult result() const noexcept { return result_; }

private:
    WaitResult result_;
};

namespace detail {

/// std::cv_status, recognized by its enumerators, so that this header need not include `<condition_variable>`.
template <class Status>
concept CvStatus = std::is_enum_v<Status> && requires {
    Status::timeout;
    Status::no_timeout;
};

}  // namespace detail

/// How a `wait_for` or `wait_until` without a predicate ended. Converts to std::cv_status and compares with it, if the
/// program includes `<condition_variable>`. It is for code that was written for std::condition_variable; new code reads
/// better with `wait(guard, predicate, limits)`.
///
///     if (ready.wait_for(hold, 5ms) == std::cv_status::timeout) ...
class TimeoutStatus {
public:
    /// `is_timeout` says whether the time was over before a notification came.
    constexpr explicit TimeoutStatus(bool is_timeout) noexcept : is_timeout_(is_timeout) {}

    /// Whether the time was over before a notification came.
    constexpr bool is_timeout() const noexcept { return is_timeout_; }

    /// The same in the standard library's terms, where a function of the program takes or returns those.
    template <detail::CvStatus Status>
    constexpr operator Status() const noexcept {
        return is_timeout_ ? Status::timeout : Status::no_timeout;
    }

    friend constexpr bool operator==(TimeoutStatus, TimeoutStatus) noexcept = default;
    template <detail::CvStatus Status>
    friend constexpr bool operator==(TimeoutStatus status, Status other) noexcept {
        return static_cast<Status>(status) == other;
    }

private:
    bool is_timeout_;
};

}  // namespace futon

#include <futon/detail/end.hpp>
