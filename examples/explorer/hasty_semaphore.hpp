// SPDX-License-Identifier: MIT
#pragma once

#include <futon/atomics.hpp>
#include <futon/core/atomic.hpp>

/// A semaphore with an optimization that looks right: where permits are left already, no thread can be waiting for one.
class HastySemaphore {
public:
    explicit HastySemaphore(int permits) noexcept : permits_(permits) {}

    void acquire() {
        while (!try_acquire()) futon::wait(permits_, 0);
    }

    bool try_acquire() noexcept {
        int seen = permits_.load();
        while (seen > 0)
            if (permits_.compare_exchange_weak(seen, seen - 1)) return true;
        return false;
    }

    void release() noexcept {
        if (permits_.fetch_add(1) == 0) futon::notify(permits_, 1);
    }

private:
    futon::core::Atomic<int> permits_;
};
