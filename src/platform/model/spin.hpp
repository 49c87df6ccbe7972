// SPDX-License-Identifier: MIT
#pragma once

namespace futon::platform {

inline void spin_pause() noexcept {}

/// Whoever could look can as well be let run later; where the looking itself is explored, one look shows all.
template <class Look>
bool spin_until([[maybe_unused]] Look look) noexcept {
#ifdef FUTON_MODEL_SPINS
    return look();
#else
    return false;
#endif
}

}  // namespace futon::platform
