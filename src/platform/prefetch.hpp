// SPDX-License-Identifier: MIT
#pragma once

#include <prefetch.hpp>  // the platform's own, found on the build's include path

namespace futon::platform {

/// A hint to the processor that the memory is needed soon. Any address will do, none too.
static_assert(noexcept(prefetch(nullptr)));

}  // namespace futon::platform
