// SPDX-License-Identifier: MIT
#pragma once

namespace futon::platform {

/// A hint changes no state, so there is nothing to explore.
struct Prefetcher {
    static void prefetch(const void*) noexcept {}
};

}  // namespace futon::platform
