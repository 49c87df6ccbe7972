// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace futon::platform {

/// What a poll of a thread that spins says. `unchanged` is in vain, too, and as far as the polls tell, what they poll is held by the
/// same owner as at the first.
enum class Polled : std::uint8_t { in_vain, unchanged, with_success, for_the_last_time };

constexpr Polled polled(bool has_succeeded, bool is_over, bool is_unchanged = false) noexcept {
    if (has_succeeded) return Polled::with_success;
    if (is_over) return Polled::for_the_last_time;
    return is_unchanged ? Polled::unchanged : Polled::in_vain;
}

}  // namespace futon::platform
