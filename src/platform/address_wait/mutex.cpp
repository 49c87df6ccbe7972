// SPDX-License-Identifier: MIT
#include "platform/mutex.hpp"

#include "platform/address_wait.hpp"
#include "platform/spin.hpp"

namespace futon::platform {

void Mutex::lock_contended() noexcept {
    const bool is_taken = spin_until([this] {
        std::uint32_t expected = 0;
        return word_.load(std::memory_order_relaxed) == 0 &&                          // a poll, decided by the exchange
               word_.compare_exchange_strong(expected, 1, std::memory_order_acquire,  // [mutex-release]
                                             std::memory_order_relaxed);              // polled again
    });
    if (is_taken) return;
    while (word_.exchange(2, std::memory_order_acquire) != 0)  // [mutex-release]
        AddressWait::wait(word_, 2);
}

void Mutex::wake_one() noexcept {
    AddressWait::wake_one(word_);
}

}  // namespace futon::platform
