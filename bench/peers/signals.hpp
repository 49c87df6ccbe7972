// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <semaphore>

#include <futon/sync/auto_reset_event.hpp>
#include <futon/sync/event.hpp>

#include "harness/session.hpp"

// What one thread sets and another waits for. Each has:
//
//     set()      sets it, and wakes the thread that waits
//     wait()     blocks until it is set, and resets it
namespace bench {

struct alignas(64) FutonSignal {
    void set() { event.set(); }
    void wait() { static_cast<void>(event.wait()); }

    futon::AutoResetEvent event;
};

struct alignas(64) FutonManualSignal {
    void set() { event.set(); }
    void wait() {
        static_cast<void>(event.wait());
        event.reset();
    }

    futon::Event event;
};

struct alignas(64) StdSignal {
    void set() { semaphore.release(); }
    void wait() { semaphore.acquire(); }

    std::binary_semaphore semaphore{0};
};

/// The store is sequentially consistent: libstdc++ 12 looks for waiters by a plain load, which could pass a mere release, and then the
/// wake is lost.
struct alignas(64) AtomicSignal {
    void set() {
        is_set.store(1, std::memory_order_seq_cst);
        is_set.notify_one();
    }
    void wait() {
        is_set.wait(0, std::memory_order_acquire);
        is_set.store(0, std::memory_order_relaxed);  // no set follows before its thread has been answered
    }

    std::atomic<int> is_set{0};
};

struct alignas(64) ConditionSignal {
    void set() {
        const std::lock_guard hold(mutex);
        is_set = true;
        changed.notify_one();
    }
    void wait() {
        std::unique_lock hold(mutex);
        changed.wait(hold, [&] { return is_set; });
        is_set = false;
    }

    std::mutex mutex;
    std::condition_variable changed;
    bool is_set = false;
};

/// Calls `f.operator()<Signal>(name, kind)` for each.
template <class F>
void for_each_signal(F f) {
    f.template operator()<FutonSignal>("futon::AutoResetEvent", Kind::ours);
    f.template operator()<FutonManualSignal>("futon::Event, with reset", Kind::ours);
    f.template operator()<StdSignal>("std::binary_semaphore", Kind::peer);
    f.template operator()<AtomicSignal>("std::atomic", Kind::peer);
    f.template operator()<ConditionSignal>("std::condition_variable", Kind::peer);
}

}  // namespace bench
