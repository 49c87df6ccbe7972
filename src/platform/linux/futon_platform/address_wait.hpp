// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

#include <futon/detail/atomic.hpp>

namespace futon::platform {

/// The futex of the kernel, private to the process.
struct AddressWait {
    using Word = detail::Atomic<std::uint32_t>;

    static void wait(Word& word, std::uint32_t expected) noexcept;
    static void wait_until(Word& word, std::uint32_t expected, std::chrono::steady_clock::time_point deadline) noexcept;
    static void wake_one(Word& word) noexcept;
};

}  // namespace futon::platform
