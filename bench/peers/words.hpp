// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include <futon/atomics.hpp>

#include "floors/futex.hpp"
#include "harness/session.hpp"
#include "peers/abseil.hpp"
#include "peers/nsync.hpp"

// Words that threads wait on, those of the floor, of futon and of its peers. Each has:
//
//     wait_while(value)             blocks while the word holds `value`
//     set(value)                    changes it, and wakes no thread
//     notify_one(), notify_all()    wakes waiting threads
//
// Each lies in a cache line of its own, as contended words should.
namespace bench {

template <class T>
struct alignas(64) FutonWord {
    void wait_while(T value) {
        while (word.load(std::memory_order_acquire) == value) futon::wait(word, value);
    }
    void set(T value) { word.store(value, std::memory_order_release); }
    void notify_one() { futon::notify(word, 1); }
    void notify_all() { futon::notify(word); }

    std::atomic<T> word{0};
};

/// Its store is sequentially consistent, as that of AtomicSignal is.
template <class T>
struct alignas(64) StdWord {
    void wait_while(T value) { word.wait(value, std::memory_order_acquire); }
    void set(T value) { word.store(value, std::memory_order_seq_cst); }
    void notify_one() { word.notify_one(); }
    void notify_all() { word.notify_all(); }

    std::atomic<T> word{0};
};

struct alignas(64) FutexWord {
    void wait_while(std::uint32_t value) {
        while (word.load(std::memory_order_acquire) == value) futex(word, FUTEX_WAIT, value);
    }
    void set(std::uint32_t value) { word.store(value, std::memory_order_release); }
    void notify_one() { futex(word, FUTEX_WAKE, 1); }
    void notify_all() { futex(word, FUTEX_WAKE, INT_MAX); }

    std::atomic<std::uint32_t> word{0};
};

/// A plain word behind a mutex and a condition variable.
template <class Mutex, class Condition>
struct alignas(64) ConditionWord {
    void wait_while(std::uint32_t value) {
        mutex.lock();
        while (word == value) condition.wait(mutex);
        mutex.unlock();
    }
    void set(std::uint32_t value) {
        mutex.lock();
        word = value;
        mutex.unlock();
    }
    void notify_one() { condition.notify_one(); }
    void notify_all() { condition.notify_all(); }

    Mutex mutex;
    Condition condition;
    std::uint32_t word = 0;
};

struct StdCondition {
    void wait(std::mutex& mutex) {
        std::unique_lock hold(mutex, std::adopt_lock);
        condition.wait(hold);
        hold.release();
    }
    void notify_one() { condition.notify_one(); }
    void notify_all() { condition.notify_all(); }

    std::condition_variable condition;
};

/// Calls `f.operator()<Word>(name, kind)` for each kind of word.
template <class F>
void for_each_word(F f) {
    f.template operator()<FutexWord>("futex", Kind::floor);
    f.template operator()<FutonWord<std::uint32_t>>("futon, 4 bytes", Kind::ours);
    f.template operator()<FutonWord<std::uint64_t>>("futon, 8 bytes", Kind::ours);
    f.template operator()<StdWord<std::uint32_t>>("std::atomic, 4 bytes", Kind::peer);
    f.template operator()<StdWord<std::uint64_t>>("std::atomic, 8 bytes", Kind::peer);
    f.template operator()<ConditionWord<std::mutex, StdCondition>>("std::condition_variable", Kind::peer);
    f.template operator()<ConditionWord<AbseilMutex, AbseilCondition>>("absl::CondVar", Kind::peer);
    f.template operator()<ConditionWord<NsyncMutex, NsyncCondition>>("nsync_cv", Kind::peer);
}

}  // namespace bench
