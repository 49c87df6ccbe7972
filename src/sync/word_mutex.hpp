// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <futon/core/queue/blocked_waiter.hpp>
#include <futon/core/queue/wait_check.hpp>
#include <futon/core/queue/wait_table.hpp>
#include <futon/detail/atomic.hpp>

#include "platform/race_detector.hpp"
#include "platform/spin.hpp"

namespace futon::detail {

/// Holds a mutex of four bytes in memory that threads share, for a copy. It sleeps in the library's wait queues, so it is
/// the same on every platform; also on a thread that may not block, as under the locks of those queues.
///
///     word   means                            set by
///     0      free                             unlock
///     1      held                             lock, if it was 0
///     2      held, a thread may be queued     a lock that is queued, and any lock that was
///
/// Requires  the memory outlives the unlock, which may notify the address after it has set the word free
class [[nodiscard]] WordMutexLock {
public:
    explicit WordMutexLock(Atomic<std::uint32_t>& word) noexcept : word_(word) {
        std::uint32_t expected = 0;
        if (!word_.compare_exchange_strong(expected, 1, std::memory_order_acquire,  // [mutex-release]
                                           std::memory_order_relaxed))              // decided again when contended
            lock_contended();
        platform::note_acquire(&word_);
    }
    ~WordMutexLock() {
        platform::note_release(&word_);
        if (word_.exchange(0, std::memory_order_release) == 2)  // [mutex-release]
            core::table_for(&word_).notify(&word_, 1);
    }
    WordMutexLock(const WordMutexLock&) = delete;
    WordMutexLock& operator=(const WordMutexLock&) = delete;

private:
    [[gnu::noinline]] void lock_contended() noexcept {
        const bool is_taken = platform::spin_until([this] {
            std::uint32_t expected = 0;
            return word_.load(std::memory_order_relaxed) == 0 &&  // a poll, decided by the exchange
                   word_.compare_exchange_strong(expected, 1,
                                                 std::memory_order_acquire,   // [mutex-release] (not explored)
                                                 std::memory_order_relaxed);  // polled again
        });
        if (is_taken) return;
        core::BlockedWaiter waiter;
        while (waiter.enqueue(core::table_for(&word_), {&word_, 0, &must_wait}) == core::EnqueueResult::queued)
            waiter.park();
    }

    /// Locks, or notes under the queue's lock that a thread is queued. [check]
    static bool must_wait(void* word, std::uint64_t) noexcept {
        Atomic<std::uint32_t>& mutex = *static_cast<Atomic<std::uint32_t>*>(word);
        return mutex.exchange(2, std::memory_order_acquire) != 0;  // [mutex-release]
    }

    Atomic<std::uint32_t>& word_;
};

}  // namespace futon::detail
