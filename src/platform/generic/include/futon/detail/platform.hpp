// SPDX-License-Identifier: MIT
#pragma once

namespace futon::detail {

/// The standard library knows no handles of the system.
struct PlatformHandle {
    friend bool operator==(PlatformHandle, PlatformHandle) = default;
};

constexpr bool plain_thread_can_block() noexcept {
    return true;
}

}  // namespace futon::detail
