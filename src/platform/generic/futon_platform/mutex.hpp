// SPDX-License-Identifier: MIT
#pragma once

#include <mutex>

#include <futon/detail/thread_safety.hpp>

namespace futon::platform {

class FUTON_CAPABILITY("mutex") Mutex {
public:
    constexpr Mutex() noexcept = default;

    void lock() noexcept FUTON_ACQUIRE() { mutex_.lock(); }
    void lock_second() noexcept FUTON_ACQUIRE() { mutex_.lock(); }
    void unlock() noexcept FUTON_RELEASE() { mutex_.unlock(); }

private:
    std::mutex mutex_;
};

}  // namespace futon::platform
