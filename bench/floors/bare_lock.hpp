// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>

namespace bench {

/// The least that a lock can be made of: a floor, not for use, since it only spins.
class BareLock {
public:
    void lock() {
        std::uint32_t expected = 0;
        while (!word_.compare_exchange_strong(expected, 1, std::memory_order_acquire)) expected = 0;
    }
    void unlock() { word_.exchange(0, std::memory_order_release); }

private:
    std::atomic<std::uint32_t> word_{0};
};

}  // namespace bench
