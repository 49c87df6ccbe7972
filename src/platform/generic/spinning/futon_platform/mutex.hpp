// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include <futon/detail/thread_safety.hpp>

namespace futon::platform {

/// Replaces a `std::mutex` that is not constant-initialized, as a table of queues needs it to be. A thread holds it for
/// a few dozen instructions. A thread that finds it locked yields its processor, and soon sleeps, so that an owner of a
/// lower priority can run. Not `std::atomic::wait`: in some libraries that loses wake-ups.
class FUTON_CAPABILITY("mutex") Mutex {
public:
    constexpr Mutex() noexcept = default;

    void lock() noexcept FUTON_ACQUIRE() {
        int tries = 0;
        while (locked_.test_and_set(std::memory_order_acquire)) {  // [mutex-release]
            if (++tries < yields)
                std::this_thread::yield();
            else
                std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
    }
    void lock_second() noexcept FUTON_ACQUIRE() { lock(); }
    void unlock() noexcept FUTON_RELEASE() { locked_.clear(std::memory_order_release); }  // [mutex-release]

private:
    static constexpr int yields = 100;

    std::atomic_flag locked_;
};

}  // namespace futon::platform
