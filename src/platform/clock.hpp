// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <concepts>

#include <futon_platform/clock.hpp>

namespace futon::platform {

/// The steady clock, which only a platform may read.
///
/// - `now()` never goes back.
// clang-format off
template <class C>
concept ClockContract = requires {
    { C::now() } noexcept -> std::same_as<std::chrono::steady_clock::time_point>;
};
// clang-format on

static_assert(ClockContract<Clock>);

inline std::chrono::steady_clock::time_point now() noexcept {
    return Clock::now();
}

}  // namespace futon::platform
