// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include <malloc.h>

namespace bench {

/// Bytes that are allocated by malloc and not yet freed, with its own overhead.
inline double bytes_in_use() {
    const struct mallinfo2 info = mallinfo2();
    return static_cast<double>(info.uordblks + info.hblkhd);
}

}  // namespace bench
