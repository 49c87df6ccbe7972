// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <concepts>

#include <futon/native_handle.hpp>
#include <futon_platform/doorbell.hpp>

namespace futon::platform {

/// What an event loop sleeps on: a parker that can turn into a handle of the operating system.
///
/// As with a parker, each `ring` sends one token, at most one is under way, and one wait takes each token.
///
/// - `ring()` is the only function for other threads. [last-touch]: when the token is taken, the doorbell may be destroyed.
/// - `wait()` and `wait_until(deadline)` are as a parker's park and park_until.
/// - `native_handle()` gives a handle that is signalled while a token is under way or the alarm is due. The first call
///   must come while no token is under way. Throws std::system_error; if the platform has no such handle, its code is
///   `function_not_supported`.
/// - `clear()` drops signals of the handle that are no token: the system may let other processes signal it. Called
///   while no token is under way.
/// - `set_alarm(deadline)` makes the handle signalled at `deadline`, or not at all if that is `time_point::max()`.
// clang-format off
template <class D>
concept DoorbellContract = requires(D& doorbell, std::chrono::steady_clock::time_point deadline) {
    { doorbell.ring() } noexcept;
    { doorbell.wait() } noexcept;
    { doorbell.wait_until(deadline) } noexcept -> std::same_as<bool>;
    { doorbell.native_handle() } -> std::same_as<NativeHandle>;
    { doorbell.clear() } noexcept;
    { doorbell.set_alarm(deadline) } noexcept;
};
// clang-format on

static_assert(DoorbellContract<Doorbell>);

}  // namespace futon::platform
