// SPDX-License-Identifier: MIT
#pragma once

#include <futon/explorer/kernel.hpp>

namespace futon::detail {

using PlatformHandle = int;

inline bool plain_thread_can_block() noexcept {
    return explorer::fiber_may_block();
}

}  // namespace futon::detail
