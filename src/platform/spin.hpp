// SPDX-License-Identifier: MIT
#pragma once

#include <spin.hpp>  // the platform's own, found on the build's include path

namespace futon::platform {

/// How often it pays to look again before going to sleep; 0 where spinning cannot help.
static_assert(spin_limit >= 0);

/// A hint to the processor that the caller only waits for a moment.
static_assert(noexcept(spin_pause()));

}  // namespace futon::platform
