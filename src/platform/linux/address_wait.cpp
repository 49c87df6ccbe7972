// SPDX-License-Identifier: MIT
#include "platform/address_wait.hpp"

#include <ctime>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "platform/linux/timespec.hpp"

namespace futon::platform {

namespace {

static_assert(sizeof(AddressWait::Word) == 4, "the kernel compares four bytes");

long futex(AddressWait::Word& word, int operation, std::uint32_t value, const timespec* deadline) noexcept {
    return syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation | FUTEX_PRIVATE_FLAG, value, deadline,
                   nullptr, FUTEX_BITSET_MATCH_ANY);
}

}  // namespace

void AddressWait::wait(Word& word, std::uint32_t expected) noexcept {
    futex(word, FUTEX_WAIT_BITSET, expected, nullptr);
}

void AddressWait::wait_until(Word& word, std::uint32_t expected,
                             std::chrono::steady_clock::time_point deadline) noexcept {
    const timespec absolute = to_timespec(deadline);
    futex(word, FUTEX_WAIT_BITSET, expected, &absolute);
}

void AddressWait::wake_one(Word& word) noexcept {
    futex(word, FUTEX_WAKE, 1, nullptr);
}

}  // namespace futon::platform
