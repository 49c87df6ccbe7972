// SPDX-License-Identifier: MIT
#include "platform/address_wait.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <limits>

#include <linux/futex.h>
#include <linux/posix_types.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/linux/timespec.hpp"

// 64-bit machines have one call, and the newest 32-bit machines only the other.
#ifndef SYS_futex_time64
#define SYS_futex_time64 SYS_futex
#endif
#ifndef SYS_futex
#define SYS_futex SYS_futex_time64
#endif

namespace futon::platform {

namespace {

static_assert(sizeof(AddressWait::Word) == 4, "the kernel compares four bytes");

/// A time as the kernel expects it, whatever the C library's time_t is.
template <class Number>
struct KernelTime {
    explicit KernelTime(const TimeParts& time) noexcept
        : seconds(static_cast<Number>(std::min<std::int64_t>(time.seconds, std::numeric_limits<Number>::max()))),
          nanoseconds(static_cast<Number>(time.nanoseconds)) {}

    Number seconds;
    Number nanoseconds;
};

long system_call(long number, AddressWait::Word& word, int operation, std::uint32_t value, const void* time) noexcept {
    return syscall(number, reinterpret_cast<std::uint32_t*>(&word), operation | FUTEX_PRIVATE_FLAG, value, time,
                   nullptr, FUTEX_BITSET_MATCH_ANY);
}

/// On 32-bit machines the kernel has a call with 64 bits of time since Linux 5.1.
void wait_timed(AddressWait::Word& word, std::uint32_t value, const TimeParts& deadline) noexcept {
    if (SYS_futex_time64 != SYS_futex) {
        const KernelTime<std::int64_t> time(deadline);
        const long result = system_call(SYS_futex_time64, word, FUTEX_WAIT_BITSET, value, &time);
        if (result == 0 || errno != ENOSYS) return;
    }
    const KernelTime<__kernel_long_t> time(deadline);
    system_call(SYS_futex, word, FUTEX_WAIT_BITSET, value, &time);
}

}  // namespace

void AddressWait::wait(Word& word, std::uint32_t expected) noexcept {
    system_call(SYS_futex, word, FUTEX_WAIT_BITSET, expected, nullptr);
}

void AddressWait::wait_until(Word& word, std::uint32_t expected,
                             std::chrono::steady_clock::time_point deadline) noexcept {
    wait_timed(word, expected, TimeParts(deadline));
}

void AddressWait::wake_one(Word& word) noexcept {
    system_call(SYS_futex, word, FUTEX_WAKE, 1, nullptr);
}

}  // namespace futon::platform
