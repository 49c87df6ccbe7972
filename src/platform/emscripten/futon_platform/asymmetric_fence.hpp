// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>

namespace futon::platform {

/// All atomics of WebAssembly are sequentially consistent, whatever order the program names: only the compiler could move them. Should
/// it get weaker ones, this has to change.
struct AsymmetricFence {
    static void light() noexcept { std::atomic_signal_fence(std::memory_order_seq_cst); }
    static bool heavy() noexcept {
        light();
        return true;
    }
};

}  // namespace futon::platform
