// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "platform/wake_time.hpp"

namespace futon::platform {

/// A mutex, a condition variable and a flag. At most one thread sleeps on each, so that no other thread can take its
/// wakes.
class Parker {
public:
    void park() noexcept;
    bool park_until(std::chrono::steady_clock::time_point deadline) noexcept;
    void unpark() noexcept;
    bool has_token() const noexcept { return false; }  // no thread polls here
    static WakeTime& wake_time() noexcept {
        static constinit thread_local WakeTime unknown;  // which calls wake a thread
        return unknown;
    }

private:
    std::mutex mutex_;
    std::condition_variable sent_;
    bool token_ = false;
};

}  // namespace futon::platform
