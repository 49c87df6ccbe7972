// SPDX-License-Identifier: MIT
#include "mutex.hpp"

#include "futex.hpp"
#include "platform/spin.hpp"

namespace futon::platform {

void Mutex::lock_contended() noexcept {
    for (int i = 0; i < spin_limit; ++i) {
        std::uint32_t expected = 0;
        if (word_.load(std::memory_order_relaxed) == 0 &&                          // a look, decided by the exchange
            word_.compare_exchange_strong(expected, 1, std::memory_order_acquire,  // [mutex-release]
                                          std::memory_order_relaxed))              // just another turn
            return;
        spin_pause();
    }
    while (word_.exchange(2, std::memory_order_acquire) != 0)  // [mutex-release]
        futex_wait(word_, 2);
}

void Mutex::wake_one() noexcept {
    futex_wake_one(word_);
}

}  // namespace futon::platform
