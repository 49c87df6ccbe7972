// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <type_traits>

#include <futon/deadline.hpp>
#include <futon/detail/chrono.hpp>
#include <futon/wait_result.hpp>

namespace futon::detail {

/// What is left until a time point of a clock that may be set. In seconds as double, which no difference overflows.
template <class Clock, class Duration>
std::chrono::duration<double> left_until(const std::chrono::time_point<Clock, Duration>& time) {
    using Seconds = std::chrono::duration<double>;
    return Seconds(time.time_since_epoch()) - Seconds(Clock::now().time_since_epoch());
}

/// The deadline that a time point of any clock is now.
template <class Clock, class Duration>
Deadline deadline_at(const std::chrono::time_point<Clock, Duration>& time) {
    if constexpr (std::is_same_v<Clock, std::chrono::steady_clock>) {
        return Deadline(time);
    } else {
        return Deadline(left_until(time));
    }
}

/// Calls `wait(Deadline)` until it gives `ok`, or `time` has come: a Deadline, or a time point of any clock. A clock that may be
/// set is asked again and again. Returns whether it gave `ok`.
template <class Time, class Wait>
bool until(const Time& time, Wait wait) {
    if constexpr (std::is_same_v<Time, Deadline>) {
        return wait(time) == WaitResult::ok;
    } else if constexpr (std::is_same_v<typename Time::clock, std::chrono::steady_clock>) {
        return wait(Deadline(time)) == WaitResult::ok;
    } else {
        while (true) {
            const std::chrono::duration<double> left = left_until(time);
            if (wait(Deadline(left)) == WaitResult::ok) return true;
            if (left.count() <= 0) return false;
        }
    }
}

}  // namespace futon::detail

#include <futon/detail/end.hpp>
