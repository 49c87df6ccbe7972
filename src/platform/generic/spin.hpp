// SPDX-License-Identifier: MIT
#pragma once

namespace futon::platform {

inline void spin_pause() noexcept {}

/// Without a pause, looking only keeps others from working.
template <class Look>
bool spin_until(Look) noexcept {
    return false;
}

}  // namespace futon::platform
