// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <futon/detail/atomic.hpp>
#include <futon/detail/thread_safety.hpp>

#include "platform/asymmetric_fence.hpp"
#include "platform/race_detector.hpp"

namespace futon::platform {

/// Two words of four bytes: whether it is held, and whether a thread may be asleep, on which threads sleep.
///
/// An unlock stores, and then loads whether one may be asleep. Its processor need not finish the store first, which would take longer
/// than all the rest: a thread that goes to sleep makes it do so. [sleepers]
///
/// Requires  the mutex outlives each unlock, which loads when another thread may have locked it
class FUTON_CAPABILITY("mutex") Mutex {
public:
    constexpr Mutex() noexcept = default;

    void lock() noexcept FUTON_ACQUIRE() {
        if (!try_lock()) lock_contended();
        note_acquire(this);
    }

    void lock_second() noexcept FUTON_ACQUIRE() { lock(); }

    void unlock() noexcept FUTON_RELEASE() {
        note_release(this);
        held_.store(0, std::memory_order_release);  // [mutex-release]
        AsymmetricFence::light();
        if (may_sleep_.load(std::memory_order_relaxed) != 0) [[unlikely]]  // ordered by [sleepers]
            wake_one();
    }

private:
    bool try_lock() noexcept {
        std::uint32_t expected = 0;
        return held_.compare_exchange_strong(expected, 1, std::memory_order_acquire,  // [mutex-release]
                                             std::memory_order_relaxed);              // decided again when contended
    }

    void lock_contended() noexcept;
    bool mark() noexcept;
    void wake_one() noexcept;

    detail::Atomic<std::uint32_t> held_{0};
    detail::Atomic<std::uint32_t> may_sleep_{0};
};

}  // namespace futon::platform
