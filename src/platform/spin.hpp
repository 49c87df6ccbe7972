// SPDX-License-Identifier: MIT
#pragma once

#include <spin.hpp>  // the platform's own, found on the build's include path

namespace futon::platform {

/// A hint to the processor that the caller only waits for a moment.
static_assert(noexcept(spin_pause()));

/// Calls `look` now and then until it returns true, which ends the looking, or until going to sleep is the better choice.
/// Returns whether `look` did. Where looking cannot help, it is never called.
static_assert(noexcept(spin_until([] { return true; })));

}  // namespace futon::platform
