// SPDX-License-Identifier: MIT
#pragma once

namespace futon::platform {

struct Prefetcher {
#ifdef _MSC_VER
    static void prefetch(const void*) noexcept {}  // it has no hint of one name for all processors
#else
    static void prefetch(const void* address) noexcept {
        __builtin_prefetch(address);
    }
#endif
};

}  // namespace futon::platform
