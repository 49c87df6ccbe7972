// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <compare>
#include <type_traits>

#include <futon/detail/chrono.hpp>
#include <futon/detail/export.hpp>

namespace futon {

/// The time point of the steady clock at which a wait gives up: a time point, `never()`, or a duration from now.
///
///     const futon::Deadline deadline(50ms);            // from now, for all retries together
///     while (!is_ready())
///         if (futon::wait(word, 0, deadline) == futon::WaitResult::timed_out) return false;
///
/// A deadline is absolute, so a retry gets the remaining time, not the whole. For a timeout that counts anew from each
/// call, use `Limits`.
///
/// - A duration counts from the construction of the deadline, so that constructor is explicit. Durations are rounded up
///   to a nanosecond, so no deadline is early.
/// - Zero and negative durations are already due. They do not read the clock.
/// - A duration too long for the clock (some 292 years), positive infinity and NaN are `never()`.
///
/// Cost  a duration reads the clock once; the rest is free.
/// Spec  the timeout of Atomics.wait: NaN and +inf wait for ever, zero and less do not wait.
class FUTON_API Deadline {
public:
    /// A time point of the steady clock.
    using TimePoint = std::chrono::steady_clock::time_point;

    constexpr Deadline(TimePoint moment) noexcept : moment_(moment) {}

    /// A time point of the steady clock in other units, rounded up. If the clock cannot express it, `never()` or
    /// already due.
    template <class Duration>
        requires(!std::is_same_v<Duration, TimePoint::duration>)
    constexpr Deadline(std::chrono::time_point<std::chrono::steady_clock, Duration> time) noexcept
        : moment_(saturated(time.time_since_epoch())) {}

    /// Refused: a clock that can be set may never reach the time point, or be past it already.
    template <class Clock, class Duration>
        requires(!std::is_same_v<Clock, std::chrono::steady_clock>)
    constexpr Deadline(std::chrono::time_point<Clock, Duration>) noexcept {
        static_assert(std::is_same_v<Clock, std::chrono::steady_clock>,
                      "futon: a deadline is a time point of std::chrono::steady_clock, since other clocks can be set; "
                      "write futon::Deadline(time - Clock::now())");
    }

    template <class Rep, class Period>
    explicit Deadline(std::chrono::duration<Rep, Period> from_now) noexcept
        : Deadline(saturating_after(rounded_up(from_now))) {}

    /// The current time that deadlines are compared with. In a program under the explorer, its virtual time.
    static TimePoint now() noexcept;

    /// The deadline that never comes.
    static constexpr Deadline never() noexcept { return Deadline(TimePoint::max()); }

    /// Whether this is `never()`.
    constexpr bool is_never() const noexcept { return moment_ == TimePoint::max(); }

    /// Whether the deadline has passed. Reads the clock only if it must.
    bool is_due() const noexcept;

    /// When it comes; `TimePoint::max()` for `never()`.
    constexpr TimePoint time_point() const noexcept { return moment_; }

    friend constexpr bool operator==(Deadline, Deadline) noexcept = default;
    friend constexpr std::strong_ordering operator<=>(Deadline a, Deadline b) noexcept {
        // Compares the counts, because not all standard libraries compare durations with <=>.
        return a.moment_.time_since_epoch().count() <=> b.moment_.time_since_epoch().count();
    }

private:
    friend class Limits;

    using Nanoseconds = std::chrono::nanoseconds;

    static constexpr TimePoint already() noexcept { return TimePoint::min(); }

    template <class Duration>
    static constexpr TimePoint saturated(Duration since_epoch) noexcept;
    static TimePoint saturating_after(Nanoseconds wait) noexcept;
    template <class Rep, class Period>
    static constexpr Nanoseconds rounded_up(std::chrono::duration<Rep, Period> wait) noexcept;
    static Nanoseconds rounded_up(double nanoseconds) noexcept;
    static Nanoseconds rounded_up(long double nanoseconds) noexcept;

    TimePoint moment_;
};

}  // namespace futon

#include <futon/detail/base/deadline_rounding.hpp>  // how durations and time points are rounded

#include <futon/detail/end.hpp>
