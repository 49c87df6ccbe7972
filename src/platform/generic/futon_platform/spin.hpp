// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

#include <futon/detail/atomic.hpp>
#include <futon_platform/never_spins.hpp>

namespace futon::platform {

struct Spinner : NeverSpins {
    template <std::uint32_t bit>
    static void until_clear(const detail::Atomic<std::uint32_t>& word) noexcept {
        constexpr int yields = 100;
        for (int tries = 0; (word.load(std::memory_order_relaxed) & bit) != 0; ++tries) {  // the caller orders it
            if (tries < yields)
                std::this_thread::yield();
            else
                std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
    }
};

}  // namespace futon::platform
