// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/thread_safety.hpp>
#include <futon/explorer/kernel.hpp>

namespace futon::platform {

/// A lock between fibers. The parker checks that no fiber parks or unparks under one. [no-lock]
class FUTON_CAPABILITY("mutex") Mutex {
public:
    constexpr Mutex() noexcept = default;

    void lock() noexcept FUTON_ACQUIRE() {
        if (explorer::held_locks() > 0) explorer::fail("[order] a fiber locks a second mutex");
        acquire();
    }

    void lock_second() noexcept FUTON_ACQUIRE() {
        if (explorer::held_locks() != 1) explorer::fail("[order] a fiber locks a third mutex, or no first");
        acquire();
    }

    void unlock() noexcept FUTON_RELEASE() {
        explorer::touch(this);
        explorer::publish(clock_);
        is_held_ = false;
        --explorer::held_locks();
    }

private:
    void acquire() noexcept {
        explorer::await("lock", this, is_free);
        is_held_ = true;
        ++explorer::held_locks();
        explorer::acquire(clock_);
    }

    static bool is_free(const void* self) noexcept { return !static_cast<const Mutex*>(self)->is_held_; }

    bool is_held_ = false;
    explorer::Clock clock_{};
};

}  // namespace futon::platform
