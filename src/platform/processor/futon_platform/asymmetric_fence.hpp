// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>

namespace futon::platform {

/// The heavy half is the system's; a platform adds it.
struct AsymmetricFence {
    static void light() noexcept { std::atomic_signal_fence(std::memory_order_seq_cst); }
    static bool heavy() noexcept;
};

}  // namespace futon::platform
