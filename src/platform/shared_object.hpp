// SPDX-License-Identifier: MIT
#pragma once

#include <shared_object.hpp>  // the platform's own, found on the build's include path

namespace futon::platform {

/// The address of the symbol `name` in the shared object that published it first in this process. `own` is the caller's
/// symbol of that name, declared with FUTON_SYMBOL; this call publishes it, and keeps its object loaded for good.
const void* first_published(const char* name, const void* own) noexcept;

}  // namespace futon::platform
