// SPDX-License-Identifier: MIT
#pragma once

#include <futon/explorer/kernel.hpp>

namespace futon::detail {

/// As on Windows.
using PlatformHandle = void*;

inline bool plain_thread_can_block() noexcept {
    return explorer::fiber_may_block();
}

}  // namespace futon::detail
