// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

#include <futon/deadline.hpp>
#include <futon/detail/chrono.hpp>
#include <futon/detail/stop_token.hpp>

namespace futon {

class Limits;

namespace detail {

/// What the time of limits is made from.
template <class T>
concept TimeOfLimits = std::convertible_to<T, Limits> && !std::same_as<std::remove_cvref_t<T>, Limits> &&
                       !std::convertible_to<T, std::stop_token>;

}  // namespace detail

/// When a call gives up: after a time, when a stop is requested, or when the first of both comes. A futon call that can
/// give up takes limits as its last argument, or as the last before a callback or an agent. (`lock_all` takes them
/// first.) The exceptions: functions that the standard names (`try_lock_for`) take its arguments; `sleep_for` and
/// `sleep_until` a time, then a stop token; `Channel::items`, `Scope` and `with_scope` a stop token; a `select` takes
/// `timeout(time)` and `stop_requested(token)` as choices.
///
///     lock.scoped_lock(20ms);           // for 20 ms; or until a Deadline, or a time point of the steady clock
///     lock.scoped_lock(stop);           // until a stop is requested of this std::stop_token
///     lock.scoped_lock({20ms, stop});   // whichever comes first
///
/// Without limits, a call waits for ever.
///
/// An object keeps a duration as a duration, counted from each call: with a member `futon::Limits limits = 20ms;` each
/// call gets 20 ms. A function that takes limits and makes several calls should first turn a duration into a deadline,
/// so that the calls share the time:
///
///     Item take(const futon::Limits& limits) {
///         const futon::Limits shared = limits.from_now();
///
/// Durations and time points are rounded and limited as in `Deadline`.
///
/// Cost  free to make without a stop token; with one, a copy of the token: two changes of a count that all its copies
///       share. If threads often wait with one token, make the limits once, before the loop. `deadline()` reads the
///       clock once for a positive duration
class Limits {
public:
    /// No limits.
    constexpr Limits() noexcept = default;

    constexpr Limits(Deadline deadline) noexcept : time_(deadline.time_point()) {}

    /// A duration, counted from each call. Zero or less gives up at once; too long for the clock means for ever.
    template <class Rep, class Period>
    constexpr Limits(std::chrono::duration<Rep, Period> from_call) noexcept
        : time_(Deadline::rounded_up(from_call)), is_from_call_(true) {}

    /// A time point of the steady clock; time points of other clocks are refused.
    template <class Clock, class Duration>
    constexpr Limits(std::chrono::time_point<Clock, Duration> time) noexcept : Limits(Deadline(time)) {}

    Limits(std::stop_token stop) noexcept : stop_(std::move(stop)) {}

    /// One of the times above, and a stop token.
    template <detail::TimeOfLimits Time>
    Limits(Time time, std::stop_token stop) noexcept : Limits(time) {
        stop_ = std::move(stop);  // NOLINT(cppcoreguidelines-prefer-member-initializer): the constructor delegates
    }

    /// Refused: a plain number has no unit.
    template <class Number>
        requires std::is_arithmetic_v<Number>
    constexpr Limits(Number) noexcept {
        static_assert(!sizeof(Number), "futon: a time limit has a unit: write 100ms, or std::chrono::milliseconds(n)");
    }

    // Near misses. Compilers quote the line that declares a deleted function, and with it the advice.
    // clang-format off
    Limits(const std::stop_token&, const std::stop_token&) = delete;  // futon: limits have one stop: write select(lock.locking(), stop_requested(a), stop_requested(b))
    template <detail::TimeOfLimits Time>
    Limits(const Time&, const std::stop_token&, const std::stop_token&) = delete;  // futon: limits have one stop: write select(lock.locking(), timeout(5ms), stop_requested(a), stop_requested(b))
    // clang-format on

    /// The deadline of a call that begins now.
    Deadline deadline() const noexcept {
        return is_from_call_ ? Deadline(Deadline::saturating_after(time_.time_since_epoch())) : Deadline(time_);
    }

    /// The same limits with a deadline instead of a duration, for several calls that share the time.
    Limits from_now() const& noexcept { return Limits(*this).from_now(); }  // of the copy
    Limits from_now() && noexcept {
        time_ = deadline().time_point();
        is_from_call_ = false;
        return std::move(*this);
    }

    /// Whether there is a limit in time.
    constexpr bool has_deadline() const noexcept { return time_ != Deadline::TimePoint::max(); }

    /// The stop token; without one, a token that never requests a stop.
    const std::stop_token& stop() const noexcept { return stop_; }

private:
    Deadline::TimePoint time_ = Deadline::TimePoint::max();  // from the beginning of the call if it is a duration
    bool is_from_call_ = false;
    std::stop_token stop_;
};

}  // namespace futon

#include <futon/detail/end.hpp>
