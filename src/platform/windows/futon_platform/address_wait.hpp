// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

#include <futon/detail/atomic.hpp>

namespace futon::platform {

/// WaitOnAddress, which Windows has since 8. Its time-outs are in milliseconds, and end with a tick of the system: up to 16 ms
/// late, unless the program has asked for shorter ticks.
struct AddressWait {
    using Word = detail::Atomic<std::uint32_t>;

    static void wait(Word& word, std::uint32_t expected) noexcept;
    static void wait_until(Word& word, std::uint32_t expected, std::chrono::steady_clock::time_point deadline) noexcept;
    static void wake_one(Word& word) noexcept;
};

}  // namespace futon::platform
