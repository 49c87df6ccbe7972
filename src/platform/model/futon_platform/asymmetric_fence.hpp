// SPDX-License-Identifier: MIT
#pragma once

#include <futon/explorer/kernel.hpp>

namespace futon::platform {

struct AsymmetricFence {
    static void light() noexcept {}
    static bool heavy() noexcept {
        explorer::heavy_fence();
        return true;
    }
};

}  // namespace futon::platform
