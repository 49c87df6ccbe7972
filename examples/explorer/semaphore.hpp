// SPDX-License-Identifier: MIT
#pragma once

#include <futon/atomics.hpp>
#include <futon/core/atomic.hpp>

/// A counting semaphore for threads. It knows nothing of the explorer; only its atomic is futon's.
class Semaphore {
public:
    explicit Semaphore(int permits) noexcept : permits_(permits) {}

    void acquire() {
        while (!try_acquire()) futon::wait(permits_, 0);
    }

    bool try_acquire() noexcept {
        int seen = permits_.load(std::memory_order_relaxed);
        while (seen > 0)
            if (permits_.compare_exchange_weak(seen, seen - 1, std::memory_order_acquire, std::memory_order_relaxed))
                return true;
        return false;
    }

    void release() noexcept {
        permits_.fetch_add(1, std::memory_order_release);
        futon::notify(permits_, 1);
    }

private:
    futon::core::Atomic<int> permits_;
};
