// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#define FUTON_EARLY

namespace futon::platform {

/// Fibers are not forked.
struct Fork {
    static std::uint32_t generation() noexcept { return 0; }
    static void call_in_children(void (*)() noexcept) noexcept {}
};

}  // namespace futon::platform
