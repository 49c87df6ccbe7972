// SPDX-License-Identifier: MIT
#include "platform/parker.hpp"

#include "platform/address_wait.hpp"
#include "platform/clock.hpp"
#include "platform/race_detector.hpp"

namespace futon::platform {

constinit thread_local WakeTime Parker::wake_time_of_this_thread;

/// Announces the sleep. Returns false if the token was there already; then takes it.
bool Parker::begin_sleep() noexcept {
    std::uint32_t seen = empty;
    if (word_.compare_exchange_strong(seen, sleeping, std::memory_order_acquire))  // [parker-token]
        return true;
    take_token();
    return false;
}

void Parker::take_token() noexcept {
    note_acquire(this);
    word_.store(empty, std::memory_order_relaxed);  // no other thread writes until the next park
}

void Parker::park() noexcept {
    if (!begin_sleep()) return;
    while (word_.load(std::memory_order_acquire) == sleeping)  // [parker-token]
        AddressWait::wait(word_, sleeping);
    take_token();
}

bool Parker::park_until(std::chrono::steady_clock::time_point deadline) noexcept {
    if (!begin_sleep()) return true;
    while (word_.load(std::memory_order_acquire) == sleeping) {  // [parker-token]
        if (now() >= deadline) {
            std::uint32_t seen = sleeping;
            if (word_.compare_exchange_strong(seen, empty, std::memory_order_acquire))  // [parker-token]
                return false;
            break;
        }
        AddressWait::wait_until(word_, sleeping, deadline);
    }
    take_token();
    return true;
}

void Parker::unpark() noexcept {
    note_release(this);
    // The exchange is the last touch of the word: afterwards the parker may be gone. The system uses the address only
    // to find sleepers, and then there are none.
    if (word_.exchange(token, std::memory_order_release) != sleeping) return;  // [parker-token]
    const auto begin = now();
    AddressWait::wake_one(word_);
    wake_time_of_this_thread.note(now() - begin);
}

}  // namespace futon::platform
