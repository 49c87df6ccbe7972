// SPDX-License-Identifier: MIT
#pragma once

namespace futon::platform {

/// Hints cannot be given.
struct Prefetcher {
    static void prefetch(const void*) noexcept {}
};

}  // namespace futon::platform
