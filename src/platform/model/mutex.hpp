// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

#include "kernel.hpp"

namespace futon::platform {

/// A lock between fibers. That nobody is parked or unparked under one is checked there. [no-lock]
class Mutex {
public:
    constexpr Mutex() noexcept = default;

    void lock() noexcept {
        model::point("lock", this);
        while (is_held_) {
            waiters_ |= 1u << model::this_fiber();
            model::block("lock", this, std::chrono::steady_clock::time_point::max());
        }
        is_held_ = true;
        ++model::held_locks();
        model::acquire(clock_);
    }

    void unlock() noexcept {
        model::publish(clock_);
        is_held_ = false;
        --model::held_locks();
        for (int fiber = 0; fiber < model::max_fibers; ++fiber)
            if ((waiters_ & (1u << fiber)) != 0) model::make_ready(fiber);
        waiters_ = 0;
    }

private:
    bool is_held_ = false;
    unsigned waiters_ = 0;
    model::Clock clock_{};
};

}  // namespace futon::platform
