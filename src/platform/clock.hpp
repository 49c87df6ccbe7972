// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <concepts>

#include <futon_platform/clock.hpp>

namespace futon::platform {

/// The steady clock, which only a platform may read.
///
/// - `now()` never goes back. It is `std::chrono::steady_clock::now()`, the clock of deadlines. On some platforms the
///   clocks of two threads differ by some milliseconds, so the waiting thread itself compares its deadline.
/// - `shared_now()` never goes back either, and is one clock for all threads: if one reading is ordered after another,
///   it is not less. If the system's clock is too coarse to tell two readings apart, the later one is greater. It tells
///   how long ago another thread did something, and which thread came first. It is not for deadlines.
// clang-format off
template <class C>
concept ClockContract = requires {
    { C::now() } noexcept -> std::same_as<std::chrono::steady_clock::time_point>;
    { C::shared_now() } noexcept -> std::same_as<std::chrono::nanoseconds>;
};
// clang-format on

static_assert(ClockContract<Clock>);

inline std::chrono::steady_clock::time_point now() noexcept {
    return Clock::now();
}

/// The time since some time point that is the same for all threads.
inline std::chrono::nanoseconds shared_now() noexcept {
    return Clock::shared_now();
}

}  // namespace futon::platform
