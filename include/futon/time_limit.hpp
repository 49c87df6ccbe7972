// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <type_traits>

#include <futon/deadline.hpp>
#include <futon/detail/chrono.hpp>

namespace futon {

/// How long a call may take: a duration, counted from each call, or a deadline. What each call takes that may give up.
///
/// Kept in an object it stays what it was written as, so `TimeLimit timeout = 20ms;` as a member gives every call 20 ms.
/// A function of your own that takes one and makes several calls turns it into a deadline first: together they take no
/// longer then.
///
///     Item take(futon::TimeLimit limit) {
///         const futon::Deadline deadline = limit.deadline();
///
/// Durations and time points are rounded and limited as a `Deadline`'s are.
///
/// Cost  none to make or copy; `deadline()` reads the clock once for a positive duration
class TimeLimit {
public:
    constexpr TimeLimit(Deadline deadline) noexcept : moment_(deadline.time_point()) {}

    /// Counted from the call that it is given to. Zero and less give up at once; too long for the clock is for ever.
    template <class Rep, class Period>
    constexpr TimeLimit(std::chrono::duration<Rep, Period> from_call) noexcept
        : moment_(Deadline::rounded_up(from_call)), is_from_call_(true) {}

    /// A time point of the steady clock; those of other clocks are refused.
    template <class Clock, class Duration>
    constexpr TimeLimit(std::chrono::time_point<Clock, Duration> time) noexcept : TimeLimit(Deadline(time)) {}

    /// Refused: a number says not of what.
    template <class Number>
        requires std::is_arithmetic_v<Number>
    constexpr TimeLimit(Number) noexcept {
        static_assert(!sizeof(Number), "futon: a time limit has a unit: write 100ms, or std::chrono::milliseconds(n)");
    }

    /// When a call that begins now is to give up.
    Deadline deadline() const noexcept {
        return is_from_call_ ? Deadline(Deadline::saturating_after(moment_.time_since_epoch())) : Deadline(moment_);
    }

private:
    Deadline::TimePoint moment_;  // from the beginning of the call, if it is a duration
    bool is_from_call_ = false;
};

}  // namespace futon

#include <futon/detail/end.hpp>
