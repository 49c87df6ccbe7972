// SPDX-License-Identifier: MIT
#pragma once

namespace futon::platform {

inline constexpr int far_looks = 0;
inline constexpr int pauses_between_far_looks = 0;
inline constexpr int near_looks = 0;

inline void spin_pause() noexcept {}

}  // namespace futon::platform
