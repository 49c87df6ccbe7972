// SPDX-License-Identifier: MIT
// Coroutines on a pool whose jobs run beside each other: a job may run before the call that enqueued its waiter has returned.
#include <algorithm>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <stop_token>
#include <utility>

#include <futon/futon.hpp>

#include "explore.hpp"
#include "scene.hpp"

namespace {

using futon::WaitResult;
using futon::explorer::check;
using futon::explorer::spawn;
using futon::test::count;
using futon::test::expect_holds;
using futon::test::Scene;

/// An executor of as many threads as there are jobs: each runs at once, beside all else. One that has ended discards.
class Pool final : public futon::Executor {
public:
    explicit Pool(bool has_ended = false) : has_ended_(has_ended) {}

    void post(futon::Job& job) noexcept override {
        ++posted_;
        spawn("job", [this, &job] {
            if (has_ended_) {
                job.discard();
            } else {
                job.run();
            }
        });
    }

    /// How many jobs were posted.
    int posted() const { return posted_; }

private:
    const bool has_ended_;
    int posted_ = 0;
};

/// Room for the frame of one coroutine. What writes to it after the end of the coroutine is noticed. [last-touch]
struct Grave {
    alignas(
        std::max_align_t) unsigned char bytes[1024];  // the first member, so that the frame's address is the grave's
    bool is_buried = false;

    /// Ends the schedule as a failure unless the coroutine has ended, and nothing has written to its frame since.
    void check_untouched() const {
        check(is_buried, "the coroutine has ended");
        check(std::ranges::all_of(bytes, [](unsigned char byte) { return byte == 0xdd; }),
              "[last-touch] nothing writes to the frame of a coroutine that has ended");
    }
};

/// A coroutine that runs by itself, and whose frame ends with it.
struct Detached {
    struct promise_type {
        Detached get_return_object() const noexcept { return {}; }
        std::suspend_never initial_suspend() const noexcept { return {}; }
        std::suspend_never final_suspend() const noexcept { return {}; }
        void return_void() const noexcept {}
        void unhandled_exception() const noexcept { std::terminate(); }
    };
};

/// The same, with the frame in a grave, which is its first argument.
struct InGrave {
    struct promise_type : Detached::promise_type {
        InGrave get_return_object() const noexcept { return {}; }
        template <class... Others>
        static void* operator new(std::size_t size, Grave& grave, const Others&...) {
            check(size <= sizeof grave.bytes, "the frame has room");
            return grave.bytes;
        }
        static void operator delete(void* frame) {
            auto& grave = *static_cast<Grave*>(frame);
            std::ranges::fill(grave.bytes, static_cast<unsigned char>(0xdd));
            grave.is_buried = true;
        }
    };
};

/// Waits at the word of a scene.
InGrave wait_on(Grave&, Pool& pool, Scene& scene, std::stop_token stop = {}) {
    const WaitResult result = co_await futon::await_on(pool, futon::waiting(scene.word(), 0), std::move(stop));
    count(scene, result);
    if (result == WaitResult::ok) check(scene.message.load() == 7, "what came before the notify is seen");
}

/// Locks and unlocks.
Detached lock_on(Pool& pool, futon::AsyncLock& lock, int& entered) {
    const auto guard = co_await futon::await_on(pool, lock.locking());
    if (guard) ++entered;
}

TEST(ModelAwaitOn, AJobAndTheSuspensionAgreeWhoGoesOn) {
    expect_holds("a coroutine on a pool waits, a notifier", {}, [] {
        Scene scene;
        scene.message.store(7);
        Pool pool;
        Grave grave;
        spawn("starter", [&] { wait_on(grave, pool, scene); });
        spawn("notifier", [&] {
            scene.word().store(1);
            scene.notified = futon::notify(scene.word());
        });
        futon::explorer::join();
        scene.check_all_accounted();
        grave.check_untouched();
    });
}

TEST(ModelAwaitOn, TheMessageOfANotifyReachesThePoolOnAWeakMemory) {
    expect_holds("a coroutine on a pool waits, message, weak", {.stale_loads = 1}, [] {
        Scene scene;
        Pool pool;
        Grave grave;
        spawn("starter", [&] { wait_on(grave, pool, scene); });
        spawn("notifier", [&] {
            scene.message.store(7);
            scene.word().store(1);
            scene.notified = futon::notify(scene.word());
        });
        futon::explorer::join();
        scene.check_all_accounted();
        grave.check_untouched();
    });
}

TEST(ModelAwaitOn, AStopANotifyAndTheSuspensionAgree) {
    expect_holds("a coroutine on a pool waits with a stop, a stopper, a notifier", {}, [] {
        Scene scene;
        scene.message.store(7);
        Pool pool;
        Grave grave;
        std::stop_source stop;
        spawn("starter", [&] { wait_on(grave, pool, scene, stop.get_token()); });
        spawn("stopper", [&] { stop.request_stop(); });
        spawn("notifier", [&] { scene.notified = futon::notify(scene.word()); });
        futon::explorer::join();
        scene.check_all_accounted();
        grave.check_untouched();
    });
}

TEST(ModelAwaitOn, ADiscardAndTheSuspensionAgreeWhoGoesOn) {
    expect_holds("a coroutine on a pool that has ended, a setter", {}, [] {
        futon::AutoResetEvent event;
        int ok = 0;
        int cancelled = 0;
        Pool pool(true);
        auto wait = [&]() -> Detached {
            const WaitResult result = co_await futon::await_on(pool, event.waiting());
            ++(result == WaitResult::ok ? ok : cancelled);
        };
        spawn("starter", [&] { wait(); });
        spawn("setter", [&] { event.set(); });
        futon::explorer::join();
        check(ok + cancelled == 1, "it goes on, once");
        check(event.is_set() == (cancelled == 1), "what a wait that was cancelled had got is given back");
        check(pool.posted() == cancelled, "a wait whose job was discarded is cancelled");
        check(futon::core::process_table().count(&event) == 0, "no waiter is queued");
    });
}

TEST(ModelAwaitOn, CoroutinesAndAThreadExcludeEachOther) {
    for (const auto fairness : futon::test::fairnesses)
        expect_holds("two coroutines on a pool lock, a thread", {.preemptions = 3, .clock_leaps = 1}, [fairness] {
            futon::AsyncLock lock(fairness);
            Pool pool;
            int entered = 0;
            spawn("starter", [&] {
                lock_on(pool, lock, entered);
                lock_on(pool, lock, entered);
            });
            spawn("thread", [&] {
                lock.lock();
                ++entered;
                lock.unlock();
            });
            futon::explorer::join();
            check(entered == 3, "each has the lock, once");
            check(lock.try_lock(), "the lock is free in the end");
            check(futon::core::process_table().count(&lock) == 0, "no waiter is queued");
        });
}

}  // namespace
