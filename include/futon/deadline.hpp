// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <compare>
#include <cstdint>
#include <limits>
#include <ratio>
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
    static constexpr TimePoint saturated(Duration since_epoch) noexcept {
        constexpr double most = 9.2e9;  // seconds that 64 bits of nanoseconds can hold
        const double seconds = std::chrono::duration<double>(since_epoch).count();
        if (seconds <= -most) return already();
        if (!(seconds < most)) return TimePoint::max();  // NaN too
        return TimePoint(std::chrono::ceil<Nanoseconds>(since_epoch));
    }

    /// Now plus `wait`: already due if `wait` is zero or less, `never()` if the clock cannot express the sum.
    static TimePoint saturating_after(Nanoseconds wait) noexcept;

    /// Converts to nanoseconds: zero if not positive; the maximum if too long or NaN.
    template <class Rep, class Period>
    static constexpr Nanoseconds rounded_up(std::chrono::duration<Rep, Period> wait) noexcept {
        // Not by <= and >: some libraries define them as the negation of <, which makes them true for NaN.
        if (wait < wait.zero() || wait == wait.zero()) return Nanoseconds::zero();
        if (!(wait.zero() < wait)) return Nanoseconds::max();  // NaN

        using Scale = std::ratio_divide<Period, std::nano>;
        constexpr Nanoseconds::rep most = Nanoseconds::max().count();
        if constexpr (std::is_integral_v<Rep> && sizeof(Rep) <= sizeof(std::uint64_t) &&
                      Scale::num <= most / Scale::den) {
            // Exact: whole multiples of the denominator, then the remainder, rounded up.
            constexpr auto num = static_cast<std::uint64_t>(Scale::num);
            constexpr auto den = static_cast<std::uint64_t>(Scale::den);
            const auto count = static_cast<std::uint64_t>(wait.count());
            if (count / den >= static_cast<std::uint64_t>(most) / num) return Nanoseconds::max();
            const std::uint64_t nanoseconds = count / den * num + (count % den * num + den - 1) / den;
            return Nanoseconds(static_cast<Nanoseconds::rep>(nanoseconds));
        } else {
            // In double if that rounds only once: some processors have no long double in hardware.
            constexpr bool is_double = std::is_same_v<Rep, float> || std::is_same_v<Rep, double>;
            constexpr bool rounds_once = Scale::num == 1 || Scale::den == 1;
            using Float = std::conditional_t<is_double && rounds_once, double, long double>;
            return rounded_up(std::chrono::duration<Float, std::nano>(wait).count());
        }
    }

    /// For positive counts that are already rounded, as in floating point: rounds up from the next representable
    /// number.
    static Nanoseconds rounded_up(double nanoseconds) noexcept;
    static Nanoseconds rounded_up(long double nanoseconds) noexcept;

    TimePoint moment_;
};

}  // namespace futon

#include <futon/detail/end.hpp>
