// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <concepts>

#include <doorbell.hpp>  // the platform's own, found on the build's include path

namespace futon::platform {

/// What an event loop sleeps on: a parker that can turn into a file descriptor.
///
/// As with a parker, each `ring` sends one token, at most one is under way, and each token is taken by one wait.
///
/// - `ring()` is the only function for other threads. [last-touch]: when the token is taken, the bell may be destroyed.
/// - `wait()` and `wait_until(moment)` are as a parker's park and park_until.
/// - `native_handle()` gives a descriptor that is readable while a token is under way or the alarm is due. Called first
///   while no token is under way. Throws std::system_error.
/// - `set_alarm(moment)` makes the descriptor readable at `moment`, or not at all if that is `time_point::max()`.
// clang-format off
template <class B>
concept DoorbellContract = requires(B& bell, std::chrono::steady_clock::time_point moment) {
    { bell.ring() } noexcept;
    { bell.wait() } noexcept;
    { bell.wait_until(moment) } noexcept -> std::same_as<bool>;
    { bell.native_handle() } -> std::same_as<int>;
    { bell.set_alarm(moment) } noexcept;
};
// clang-format on

static_assert(DoorbellContract<Doorbell>);

}  // namespace futon::platform
