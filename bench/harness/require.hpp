// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <cstdlib>

namespace bench {

/// Ends the program unless a contestant has done what it was to do: the figures of other work would say nothing.
inline void require(bool is_right, const char* what) {
    if (is_right) return;
    std::fprintf(stderr, "bench: a contestant is wrong: %s\n", what);
    std::abort();
}

}  // namespace bench
