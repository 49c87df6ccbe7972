// SPDX-License-Identifier: MIT
#pragma once

namespace futon::platform {

// Whoever could spin can as well be let run later; where the spinning itself is explored, once shows all.
#ifdef FUTON_MODEL_SPINS
inline constexpr int spin_limit = 1;
#else
inline constexpr int spin_limit = 0;
#endif

inline void spin_pause() noexcept {}

}  // namespace futon::platform
