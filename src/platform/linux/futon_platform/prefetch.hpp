// SPDX-License-Identifier: MIT
#pragma once

namespace futon::platform {

struct Prefetcher {
    static void prefetch(const void* address) noexcept { __builtin_prefetch(address); }
};

}  // namespace futon::platform
