// SPDX-License-Identifier: MIT
#include "futex.hpp"

#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "timespec.hpp"

namespace futon::platform {

namespace {

static_assert(sizeof(FutexWord) == 4, "the kernel compares four bytes");

long futex(FutexWord& word, int operation, std::uint32_t value, const timespec* moment) noexcept {
    return syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation | FUTEX_PRIVATE_FLAG, value, moment,
                   nullptr, FUTEX_BITSET_MATCH_ANY);
}

}  // namespace

void futex_wait(FutexWord& word, std::uint32_t expected) noexcept {
    futex(word, FUTEX_WAIT_BITSET, expected, nullptr);
}

void futex_wait_until(FutexWord& word, std::uint32_t expected, std::chrono::steady_clock::time_point moment) noexcept {
    const timespec absolute = to_timespec(moment);
    futex(word, FUTEX_WAIT_BITSET, expected, &absolute);
}

void futex_wake_one(FutexWord& word) noexcept {
    futex(word, FUTEX_WAKE, 1, nullptr);
}

}  // namespace futon::platform
