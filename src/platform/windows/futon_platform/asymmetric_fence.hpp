// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>

namespace futon::platform {

/// `FlushProcessWriteBuffers`; none under Wine.
struct AsymmetricFence {
    static void light() noexcept { std::atomic_signal_fence(std::memory_order_seq_cst); }
    static bool heavy() noexcept;
};

}  // namespace futon::platform
