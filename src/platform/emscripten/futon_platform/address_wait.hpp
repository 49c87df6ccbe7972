// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

#include <futon/detail/atomic.hpp>

namespace futon::platform {

/// The engine's own wait queues, which `Atomics.wait` uses. The main thread cannot sleep: there both waits return at
/// once, so that their callers spin.
struct AddressWait {
    using Word = detail::Atomic<std::uint32_t>;

    static void wait(Word& word, std::uint32_t expected) noexcept;
    static void wait_until(Word& word, std::uint32_t expected, std::chrono::steady_clock::time_point deadline) noexcept;
    static void wake_one(Word& word) noexcept;

    /// Wakes all sleepers, and the listeners to the word by `Atomics.waitAsync`.
    static void wake_all(Word& word) noexcept;
};

}  // namespace futon::platform
