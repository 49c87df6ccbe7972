// SPDX-License-Identifier: MIT
#pragma once

namespace futon::platform {

/// There is no way to give hints.
struct Prefetcher {
    static void prefetch(const void*) noexcept {}
};

}  // namespace futon::platform
