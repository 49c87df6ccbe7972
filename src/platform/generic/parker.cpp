// SPDX-License-Identifier: MIT
#include "platform/parker.hpp"

namespace futon::platform {

void Parker::park() noexcept {
    std::unique_lock hold(mutex_);
    sent_.wait(hold, [this] { return token_; });
    token_ = false;
}

bool Parker::park_until(std::chrono::steady_clock::time_point deadline) noexcept {
    std::unique_lock hold(mutex_);
    if (!sent_.wait_until(hold, deadline, [this] { return token_; })) return false;
    token_ = false;
    return true;
}

void Parker::unpark() noexcept {
    // Sent under the lock: the sleeper cannot return, and destroy the parker, before this thread has released the mutex.
    const std::scoped_lock hold(mutex_);
    token_ = true;
    sent_.notify_one();
}

}  // namespace futon::platform
