// SPDX-License-Identifier: MIT
#pragma once

namespace futon::detail {

/// A HANDLE, by the type that the system's headers give it; this header does not include them.
using PlatformHandle = void*;

constexpr bool plain_thread_can_block() noexcept {
    return true;
}

}  // namespace futon::detail
