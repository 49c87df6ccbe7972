// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <futon/detail/atomic.hpp>
#include <futon/detail/thread_safety.hpp>

#include "platform/race_detector.hpp"

namespace futon::platform {

/// Four bytes that a thread can sleep on.
///
///     word   means                        set by
///     0      free                         unlock
///     1      held                         lock, if it was 0
///     2      held, a thread may be asleep a lock that goes to sleep, and any lock that has slept
class FUTON_CAPABILITY("mutex") Mutex {
public:
    constexpr Mutex() noexcept = default;

    void lock() noexcept FUTON_ACQUIRE() {
        std::uint32_t expected = 0;
        if (!word_.compare_exchange_strong(expected, 1, std::memory_order_acquire,  // [mutex-release]
                                           std::memory_order_relaxed))              // decided again when contended
            lock_contended();
        note_acquire(this);
    }

    void lock_second() noexcept FUTON_ACQUIRE() { lock(); }

    void unlock() noexcept FUTON_RELEASE() {
        note_release(this);
        if (word_.exchange(0, std::memory_order_release) == 2)  // [mutex-release]
            wake_one();
    }

private:
    void lock_contended() noexcept;
    void wake_one() noexcept;

    detail::Atomic<std::uint32_t> word_{0};
};

}  // namespace futon::platform
