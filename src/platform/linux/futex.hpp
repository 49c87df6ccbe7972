// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

#include <futon/detail/atomic.hpp>

namespace futon::platform {

using FutexWord = detail::Atomic<std::uint32_t>;

/// Sleeps while `word` holds `expected`. Returns for a wake, a signal, or no reason.
void futex_wait(FutexWord& word, std::uint32_t expected) noexcept;

/// The same, at most until `moment` of the steady clock.
void futex_wait_until(FutexWord& word, std::uint32_t expected, std::chrono::steady_clock::time_point moment) noexcept;

/// Wakes one sleeper. The word itself is not touched: its memory may be gone.
void futex_wake_one(FutexWord& word) noexcept;

}  // namespace futon::platform
