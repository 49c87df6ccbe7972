// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <type_traits>

#include <futon/deadline.hpp>
#include <futon/detail/chrono.hpp>

namespace futon {

/// How long a call may take: a duration, counted from each call, or a deadline. Every futon call that can give up takes
/// one.
///
///     lock.scoped_lock(20ms);                          // for 20 ms
///     lock.scoped_lock(deadline);                      // until then
///
/// Stored in an object, a duration stays a duration: with a member `TimeLimit timeout = 20ms;` each call gets 20 ms. A
/// function that takes a TimeLimit and makes several calls should first turn it into a deadline, so that they share the
/// time:
///
///     Item take(futon::TimeLimit limit) {
///         const futon::Deadline deadline = limit.deadline();
///
/// Durations and time points are rounded and limited as in `Deadline`.
///
/// Cost  none to make or copy; `deadline()` reads the clock once for a positive duration
class TimeLimit {
public:
    constexpr TimeLimit(Deadline deadline) noexcept : moment_(deadline.time_point()) {}

    /// A duration, counted from each call. Zero or less gives up at once; too long for the clock means for ever.
    template <class Rep, class Period>
    constexpr TimeLimit(std::chrono::duration<Rep, Period> from_call) noexcept
        : moment_(Deadline::rounded_up(from_call)), is_from_call_(true) {}

    /// A time point of the steady clock; time points of other clocks are refused.
    template <class Clock, class Duration>
    constexpr TimeLimit(std::chrono::time_point<Clock, Duration> time) noexcept : TimeLimit(Deadline(time)) {}

    /// Refused: a plain number has no unit.
    template <class Number>
        requires std::is_arithmetic_v<Number>
    constexpr TimeLimit(Number) noexcept {
        static_assert(!sizeof(Number), "futon: a time limit has a unit: write 100ms, or std::chrono::milliseconds(n)");
    }

    /// The deadline of a call that begins now.
    Deadline deadline() const noexcept {
        return is_from_call_ ? Deadline(Deadline::saturating_after(moment_.time_since_epoch())) : Deadline(moment_);
    }

private:
    Deadline::TimePoint moment_;  // from the beginning of the call if it is a duration
    bool is_from_call_ = false;
};

}  // namespace futon

#include <futon/detail/end.hpp>
