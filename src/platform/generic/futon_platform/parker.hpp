// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace futon::platform {

/// A mutex, a condition variable and a flag. At most one thread sleeps on each, so that no other thread can take its
/// wakes.
class Parker {
public:
    void park() noexcept;
    bool park_until(std::chrono::steady_clock::time_point deadline) noexcept;
    void unpark() noexcept;
    bool has_token() const noexcept { return false; }                    // no thread polls here
    static std::chrono::nanoseconds wake_time() noexcept { return {}; }  // it is not known which calls wake a thread

private:
    std::mutex mutex_;
    std::condition_variable sent_;
    bool token_ = false;
};

}  // namespace futon::platform
