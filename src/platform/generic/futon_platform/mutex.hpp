// SPDX-License-Identifier: MIT
#pragma once

#include <mutex>

namespace futon::platform {

class Mutex {
public:
    constexpr Mutex() noexcept = default;

    void lock() noexcept { mutex_.lock(); }
    void lock_second() noexcept { mutex_.lock(); }
    void unlock() noexcept { mutex_.unlock(); }

private:
    std::mutex mutex_;
};

}  // namespace futon::platform
