// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <concepts>

#include <futon_platform/clock.hpp>

namespace futon::platform {

/// The steady clock, which only a platform may read.
///
/// - `now()` never goes back. It is `std::chrono::steady_clock::now()`, which deadlines are compared with: on some platforms
///   the clocks of two threads differ by some milliseconds, so a deadline is read on the thread that waits.
/// - `shared_now()` never goes back either, and is one clock for all threads: what one thread reads after another, by whatever
///   orders them, is not less. It is greater where the system's clock is too coarse to tell what threads do one after the other.
///   For how long ago another thread has done something, and for who came first; not for deadlines.
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
