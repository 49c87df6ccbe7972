// SPDX-License-Identifier: MIT
#pragma once

#include <spin.hpp>  // the platform's own, found on the build's include path

namespace futon::platform {

/// How often it pays to look again before going to sleep: first with pauses between, then without; 0 where spinning cannot
/// help.
static_assert(far_looks >= 0 && near_looks >= 0 && pauses_between_far_looks >= 0);

/// A hint to the processor that the caller only waits for a moment.
static_assert(noexcept(spin_pause()));

/// Calls `look` until it returns true, which ends the looking, or going to sleep is the better choice. Returns whether it
/// did.
///
/// Each look takes the cache line away from whoever will write it next. A lock that is held for a moment only will most
/// often be free at the next look anyway, and looks that are far apart leave its owner alone. One that is held for longer
/// may be free for a moment only, which would be missed from afar.
template <class Look>
bool spin_until(Look look) noexcept {
    for (int i = 0; i < far_looks; ++i) {
        if (look()) return true;
        for (int pause = 0; pause < pauses_between_far_looks; ++pause) spin_pause();
    }
    for (int i = 0; i < near_looks; ++i) {
        if (look()) return true;
        spin_pause();
    }
    return false;
}

}  // namespace futon::platform
