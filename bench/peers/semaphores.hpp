// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <mutex>
#include <semaphore>

#include <semaphore.h>

#include <futon/sync/semaphore.hpp>

#include "harness/session.hpp"
#include "peers/abseil.hpp"

// Counting semaphores, as locks that `permits` threads may own at once: `lock` acquires a permit, `unlock` releases it.
namespace bench {

template <int permits>
struct FutonSemaphore {
    void lock() { static_cast<void>(semaphore.acquire()); }
    void unlock() { semaphore.release(); }

    futon::Semaphore semaphore{permits};
};

template <int permits>
struct StdSemaphore {
    void lock() { semaphore.acquire(); }
    void unlock() { semaphore.release(); }

    std::counting_semaphore<> semaphore{permits};
};

/// The semaphore of the C library.
template <int permits>
struct PosixSemaphore {
    PosixSemaphore() { sem_init(&semaphore, 0, permits); }
    ~PosixSemaphore() { sem_destroy(&semaphore); }
    PosixSemaphore(const PosixSemaphore&) = delete;
    PosixSemaphore& operator=(const PosixSemaphore&) = delete;

    void lock() {
        while (sem_wait(&semaphore) != 0) {
        }
    }
    void unlock() { sem_post(&semaphore); }

    sem_t semaphore;
};

/// A count under an absl::Mutex, with a condition of its own kind: no notify is needed.
template <int permits>
struct AbseilSemaphore {
    void lock() {
        mutex.mutex.LockWhen(absl::Condition(
            +[](int* left) { return *left > 0; }, &count));
        --count;
        mutex.mutex.Unlock();
    }
    void unlock() {
        mutex.mutex.Lock();
        ++count;
        mutex.mutex.Unlock();
    }

    AbseilMutex mutex;
    int count = permits;
};

/// Wakes the latest waiter first, whose caches are still warm: the idea of folly's LifoSem. A count below zero is how many
/// wait or are about to; each of them sleeps on a word of its own.
template <int permits>
struct LastInFirstOutSemaphore {
    void lock() {
        if (count.fetch_sub(1, std::memory_order_acquire) > 0) return;
        Sleeper self;
        {
            const std::lock_guard hold(mutex);
            if (surplus > 0) {
                --surplus;
                return;
            }
            self.next = latest;
            latest = &self;
        }
        self.is_woken.wait(false, std::memory_order_acquire);
        // The waker is done with this word when it has released the mutex.
        const std::lock_guard hold(mutex);
    }
    void unlock() {
        if (count.fetch_add(1, std::memory_order_release) >= 0) return;
        const std::lock_guard hold(mutex);
        if (latest == nullptr) {
            ++surplus;
            return;
        }
        Sleeper* const woken = latest;
        latest = woken->next;
        woken->is_woken.store(true, std::memory_order_seq_cst);  // as in AtomicSignal
        woken->is_woken.notify_one();
    }

    struct Sleeper {
        std::atomic<bool> is_woken{false};
        Sleeper* next = nullptr;
    };

    std::atomic<int> count{permits};
    std::mutex mutex;
    Sleeper* latest = nullptr;
    int surplus = 0;  // permits released for waiters that are not on the stack yet
};

/// Two atomic instructions, and no way to wait: for one thread.
template <int permits>
struct BareSemaphore {
    void lock() {
        int seen = count.load(std::memory_order_relaxed);
        while (!count.compare_exchange_weak(seen, seen - 1, std::memory_order_acquire, std::memory_order_relaxed)) {
        }
    }
    void unlock() { count.fetch_add(1, std::memory_order_release); }

    std::atomic<int> count{permits};
};

/// Calls `f.operator()<Semaphore>(name, kind)` for each semaphore that blocks threads.
template <int permits, class F>
void for_each_semaphore(F f) {
    f.template operator()<FutonSemaphore<permits>>("futon::Semaphore", Kind::ours);
    f.template operator()<StdSemaphore<permits>>("std::counting_semaphore", Kind::peer);
    f.template operator()<PosixSemaphore<permits>>("sem_t", Kind::peer);
    f.template operator()<AbseilSemaphore<permits>>("made of absl::Mutex", Kind::peer);
    f.template operator()<LastInFirstOutSemaphore<permits>>("last in, first out", Kind::peer);
}

}  // namespace bench
