// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

#include <futon/detail/atomic.hpp>

namespace futon::platform {

/// The operating system's side, between fibers: comparing and falling asleep are one step, a wake takes any sleeper,
/// and a sleeper may wake for no reason. Only the sleeper reads the word.
struct AddressWait {
    using Word = detail::Atomic<std::uint32_t>;

    static void wait(Word& word, std::uint32_t expected) noexcept;
    static void wait_until(Word& word, std::uint32_t expected, std::chrono::steady_clock::time_point deadline) noexcept;
    static void wake_one(Word& word) noexcept;
};

}  // namespace futon::platform
