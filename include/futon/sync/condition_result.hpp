// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <type_traits>

#include <futon/wait_result.hpp>

// What the waits at a Condition answer, beside a WaitResult.
namespace futon {

/// Whether the predicate of a wait holds, and if not, what ended the wait. Converts to bool: whether it holds.
///
///     const auto answer = ready.wait(hold, has_items, 5ms, stop);
///     if (!answer) log(answer.result() == futon::WaitResult::cancelled ? "stopped" : "late");
class PredicateResult {
public:
    /// `ended` is why it is given up, if it does not hold: `timed_out` or `cancelled`.
    constexpr PredicateResult(bool holds, WaitResult ended) noexcept : result_(holds ? WaitResult::ok : ended) {}

    /// Whether it holds.
    constexpr operator bool() const noexcept { return result_ == WaitResult::ok; }

    /// `ok` if it holds, else `timed_out` or `cancelled`.
    constexpr WaitResult result() const noexcept { return result_; }

private:
    WaitResult result_;
};

namespace detail {

/// std::cv_status, or an enumeration like it: known by its names, so that this need not include `<condition_variable>`.
template <class Status>
concept CvStatus = std::is_enum_v<Status> && requires {
    Status::timeout;
    Status::no_timeout;
};

}  // namespace detail

/// How a `wait_for` or `wait_until` without a predicate ended. Converts to, and compares with, std::cv_status, which
/// `<condition_variable>` declares.
///
///     if (ready.wait_for(hold, 5ms) == std::cv_status::timeout) ...
class TimeoutStatus {
public:
    /// Whether the time was over before a notification came.
    constexpr explicit TimeoutStatus(bool is_timeout) noexcept : is_timeout_(is_timeout) {}

    /// Whether the time was over before a notification came.
    constexpr bool is_timeout() const noexcept { return is_timeout_; }

    /// The same as the standard library says it.
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
