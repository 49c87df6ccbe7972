// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace futon::platform {

/// What a poll of a thread that spins says.
enum class Polled : std::uint8_t { in_vain, with_success, for_the_last_time };

constexpr Polled polled(bool has_succeeded, bool is_over) noexcept {
    if (has_succeeded) return Polled::with_success;
    return is_over ? Polled::for_the_last_time : Polled::in_vain;
}

}  // namespace futon::platform
