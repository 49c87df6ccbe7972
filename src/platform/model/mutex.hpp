// SPDX-License-Identifier: MIT
#pragma once

#include "kernel.hpp"

namespace futon::platform {

/// A lock between fibers. That nobody is parked or unparked under one is checked there. [no-lock]
class Mutex {
public:
    constexpr Mutex() noexcept = default;

    void lock() noexcept {
        if (model::held_locks() > 0) model::fail("[order] a fiber locks a second mutex");
        acquire();
    }

    void lock_second() noexcept {
        if (model::held_locks() != 1) model::fail("[order] a fiber locks a third mutex, or no first");
        acquire();
    }

    void unlock() noexcept {
        model::touch(this);
        model::publish(clock_);
        is_held_ = false;
        --model::held_locks();
    }

private:
    void acquire() noexcept {
        model::await("lock", this, is_free);
        is_held_ = true;
        ++model::held_locks();
        model::acquire(clock_);
    }

    static bool is_free(const void* self) noexcept { return !static_cast<const Mutex*>(self)->is_held_; }

    bool is_held_ = false;
    model::Clock clock_{};
};

}  // namespace futon::platform
