// SPDX-License-Identifier: MIT
#include "platform/parker.hpp"

#include "platform/clock.hpp"

namespace futon::platform {

namespace {

constexpr std::chrono::hours day(24);

}  // namespace

void Parker::park() noexcept {
    std::unique_lock hold(mutex_);
    sent_.wait(hold, [this] { return token_; });
    token_ = false;
}

bool Parker::park_until(std::chrono::steady_clock::time_point deadline) noexcept {
    std::unique_lock hold(mutex_);
    // A day at a time: if the standard library converts time points to the wall clock, one that is very far in the past
    // or the future overflows.
    while (!token_) {
        const auto time = now();
        if (time >= deadline) return false;
        const bool is_far = deadline - time > day;
        sent_.wait_until(hold, is_far ? time + day : deadline, [this] { return token_; });
    }
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
