// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>
#include <ratio>
#include <type_traits>

#include <futon/deadline.hpp>
#include <futon/detail/chrono.hpp>

// How a Deadline rounds durations and time points: never to what is earlier.
//
// `saturating_after` gives now plus `wait`: already due if `wait` is zero or less, `never()` if the clock cannot express the
// sum. The two of `rounded_up` that take floating point take positive counts, which are rounded already: they round up from
// the next representable number.
namespace futon {

template <class Duration>
constexpr Deadline::TimePoint Deadline::saturated(Duration since_epoch) noexcept {
    constexpr double most = 9.2e9;  // seconds that 64 bits of nanoseconds can hold
    const double seconds = std::chrono::duration<double>(since_epoch).count();
    if (seconds <= -most) return already();
    if (!(seconds < most)) return TimePoint::max();  // NaN too
    return TimePoint(std::chrono::ceil<Nanoseconds>(since_epoch));
}

/// Converts to nanoseconds: zero if not positive; the maximum if too long or NaN.
template <class Rep, class Period>
constexpr Deadline::Nanoseconds Deadline::rounded_up(std::chrono::duration<Rep, Period> wait) noexcept {
    // Not by <= and >: some libraries define them as the negation of <, which makes them true for NaN.
    if (wait < wait.zero() || wait == wait.zero()) return Nanoseconds::zero();
    if (!(wait.zero() < wait)) return Nanoseconds::max();  // NaN

    using Scale = std::ratio_divide<Period, std::nano>;
    constexpr Nanoseconds::rep most = Nanoseconds::max().count();
    if constexpr (std::is_integral_v<Rep> && sizeof(Rep) <= sizeof(std::uint64_t) && Scale::num <= most / Scale::den) {
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

}  // namespace futon

#include <futon/detail/end.hpp>
