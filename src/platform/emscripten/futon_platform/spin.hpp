// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

#include <futon/detail/atomic.hpp>
#include <futon_platform/never_spins.hpp>

#include "platform/address_wait.hpp"
#include "platform/clock.hpp"

namespace futon::platform {

struct Spinner : NeverSpins {
    /// Polls on the main thread, which cannot sleep. It does not yield either: then it would run calls that other threads have
    /// sent to it, in the middle of the caller, which may hold a lock.
    template <std::uint32_t bit>
    static void until_clear(const detail::Atomic<std::uint32_t>& word) noexcept {
        detail::Atomic<std::uint32_t> never_woken{0};
        while ((word.load(std::memory_order_relaxed) & bit) != 0)  // the caller orders it
            AddressWait::wait_until(never_woken, 0, now() + std::chrono::microseconds(100));
    }
};

}  // namespace futon::platform
