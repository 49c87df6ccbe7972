// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

/// What the mark of an arbiter's queue says: a stage, and whose it is. Zero: no keeper looks after it.
namespace futon::core::mark {

inline constexpr std::uint16_t none = 0;
inline constexpr int fresh = 1;            // since the last tick
inline constexpr int seen = 2;             // at the last tick; from here on how often loops were called since
inline constexpr int most_doublings = 10;  // of how many loops are called at a tick

inline constexpr int stage_bits = 5;
inline constexpr int stage_mask = (1 << stage_bits) - 1;

constexpr int stage_of(std::uint16_t mark) noexcept {
    return mark & stage_mask;
}

/// Of an arbiter with these rules, and words of this width: so that another arbiter at the same address is never taken for it.
template <class Bits, class Rules>
std::uint16_t tag_of(const Rules* rules) noexcept {
    const auto hash = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(rules) / sizeof(Rules));
    constexpr std::uint32_t width = sizeof(Bits) == 8 ? 1 : 0;
    return static_cast<std::uint16_t>(hash << (stage_bits + 1) | width << stage_bits);
}

}  // namespace futon::core::mark
