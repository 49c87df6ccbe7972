// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <climits>
#include <cstdint>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace bench {

/// The system call itself.
inline long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) noexcept {
    return syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation | FUTEX_PRIVATE_FLAG, value, nullptr,
                   nullptr, 0);
}

}  // namespace bench
