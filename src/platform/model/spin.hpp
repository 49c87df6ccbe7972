// SPDX-License-Identifier: MIT
#pragma once

namespace futon::platform {

// Whoever could spin can as well be let run later; where the spinning itself is explored, once shows all.
inline constexpr int far_looks = 0;
inline constexpr int pauses_between_far_looks = 0;
#ifdef FUTON_MODEL_SPINS
inline constexpr int near_looks = 1;
#else
inline constexpr int near_looks = 0;
#endif

inline void spin_pause() noexcept {}

}  // namespace futon::platform
