// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <concepts>

#include <futon_platform/parker.hpp>

#include "platform/wake_time.hpp"

namespace futon::platform {

/// Puts one thread to sleep until another thread sends it a token.
///
/// `unpark` sends a token, and the park that returns for it takes it; at most one token is ever under way. Neither park
/// returns for any other reason, such as a signal.
///
/// - `park()` sleeps until it has taken the token.
/// - `park_until(deadline)` gives up at `deadline`; returns whether it has taken the token.
/// - `has_token()` tells the thread that is about to park that the park will not sleep. It may be false although there is a token.
/// - `unpark()` may be the last touch: once the token is taken, the parker may be destroyed while `unpark` returns.
/// - `wake_time()` is the calling thread's: about how long its calls of `unpark` took lately in which it woke another. Zero where it
///   has woken none, or where the platform cannot tell.
///
/// Ordering  everything before `unpark` happens before the park that takes its token returns.
// clang-format off
template <class P>
concept ParkerContract = requires(P& parker, std::chrono::steady_clock::time_point deadline) {
    { parker.park() } noexcept;
    { parker.park_until(deadline) } noexcept -> std::same_as<bool>;
    { parker.has_token() } noexcept -> std::same_as<bool>;
    { parker.unpark() } noexcept;
    { P::wake_time() } noexcept -> std::same_as<WakeTime&>;
};
// clang-format on

static_assert(ParkerContract<Parker>);

}  // namespace futon::platform
