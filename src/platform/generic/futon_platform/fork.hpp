// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#define FUTON_EARLY

namespace futon::platform {

/// The standard library knows no processes. If the system has pthread_atfork, the folder `posix` replaces this.
struct Fork {
    static std::uint32_t generation() noexcept { return 0; }
    static void call_in_children(void (*)() noexcept) noexcept {}
};

}  // namespace futon::platform
