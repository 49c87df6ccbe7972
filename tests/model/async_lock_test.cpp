// SPDX-License-Identifier: MIT
#include <algorithm>
#include <mutex>
#include <new>
#include <string>

#include <futon/futon.hpp>

#include "explore.hpp"

#ifdef FUTON_MODEL_SPINS
#define ModelAsyncLock ModelSpinningAsyncLock  // the same tests in a program where threads spin before they sleep
#endif

namespace {

using namespace std::chrono_literals;
using futon::explorer::check;
using futon::explorer::Shared;
using futon::explorer::spawn;
using futon::test::expect_holds;

/// A lock, and what it protects.
struct LockScene {
    explicit LockScene(futon::Fairness fairness = futon::Fairness::bounded) : lock(fairness) {}

    futon::AsyncLock lock;
    Shared sum;
    int inside = 0;
    int entered = 0;

    void enter() {
        check(inside++ == 0, "one at a time");
        sum.store(sum.load() + 1);
        futon::explorer::point("inside", this);
        --inside;
        ++entered;
    }

    void check_at_rest(int expected) {
        check(entered == expected, "each has entered");
        check(sum.load() == expected, "no entry was lost");
        check(lock.try_lock(), "the lock is free in the end");
        check(futon::core::process_table().count(&lock) == 0, "no waiter is queued");
    }
};

void take_once(LockScene& scene) {
    const std::scoped_lock hold(scene.lock);
    scene.enter();
}

TEST(ModelAsyncLock, ThreeThreadsExcludeEachOther) {
    expect_holds("lock, three threads", {.preemptions = 4, .clock_leaps = 1}, [] {
        LockScene scene;
        for (const char* name : {"A", "B", "C"}) spawn(name, [&] { take_once(scene); });
        futon::explorer::join();
        scene.check_at_rest(3);
    });
}

TEST(ModelAsyncLock, TwoThreadsExcludeEachOtherOnAWeakMemory) {
    expect_holds("lock, two threads twice, weak", {.preemptions = 4, .stale_loads = 2, .clock_leaps = 1}, [] {
        LockScene scene;
        for (const char* name : {"A", "B"})
            spawn(name, [&] {
                take_once(scene);
                take_once(scene);
            });
        futon::explorer::join();
        scene.check_at_rest(4);
    });
}

TEST(ModelAsyncLock, TryLockSeesWhatTheLockProtectsOnAWeakMemory) {
    expect_holds("lock, two threads, try_lock, weak", {.preemptions = 4, .stale_loads = 1}, [] {
        LockScene scene;
        int expected = 2;
        for (const char* name : {"A", "B"}) spawn(name, [&] { take_once(scene); });
        spawn("C", [&] {
            const std::unique_lock attempt(scene.lock, std::try_to_lock);
            if (!attempt) return;
            scene.enter();
            ++expected;
        });
        futon::explorer::join();
        scene.check_at_rest(expected);
    });
}

TEST(ModelAsyncLock, TwoThreadsAndALoopShareTheLock) {
    expect_holds("lock, two threads, a loop", {.preemptions = 3, .clock_leaps = 1}, [] {
        LockScene scene;
        spawn("loop", [&] {
            futon::EventLoop loop;
            scene.lock.execute_locked([&] { scene.enter(); });
            loop.run();
        });
        for (const char* name : {"A", "B"}) spawn(name, [&] { take_once(scene); });
        futon::explorer::join();
        scene.check_at_rest(3);
    });
}

TEST(ModelAsyncLock, ThreadsAndALoopShareAStrictLock) {
    expect_holds("strict lock, two threads, a loop", {.preemptions = 3}, [] {
        LockScene scene(futon::Fairness::strict);
        spawn("loop", [&] {
            futon::EventLoop loop;
            scene.lock.execute_locked([&] { scene.enter(); });
            loop.run();
        });
        for (int i = 0; i < 2; ++i) spawn("thread", [&] { take_once(scene); });
        futon::explorer::join();
        scene.check_at_rest(3);
    });
}

TEST(ModelAsyncLock, AnAbandonmentIsToldToOneOwner) {
    expect_holds("lock, an owner that is gone, two that ask", {.preemptions = 3, .stale_loads = 1, .clock_leaps = 1},
                 [] {
                     LockScene scene;
                     int told = 0;
                     scene.lock.lock();
                     spawn("undertaker", [&] { check(scene.lock.abandon(), "it was held"); });
                     for (const char* name : {"A", "B"})
                         spawn(name, [&] {
                             const std::scoped_lock hold(scene.lock);
                             told += scene.lock.take_abandonment() ? 1 : 0;
                             scene.enter();
                         });
                     futon::explorer::join();
                     check(told == 1, "each abandonment is told once");
                     scene.check_at_rest(2);
                 });
}

TEST(ModelAsyncLock, AStrictLockIsHandedToTheFirstWaiter) {
    expect_holds("strict lock, one waiter, an overtaker", {}, [] {
        LockScene scene(futon::Fairness::strict);
        bool has_overtaken = false;
        scene.lock.lock();
        spawn("waiter", [&] { take_once(scene); });
        spawn("owner", [&] {
            const bool has_waiters = futon::core::process_table().count(&scene.lock) == 1;
            scene.lock.unlock();
            if (!scene.lock.try_lock()) return;
            has_overtaken = has_waiters && scene.entered == 0;
            scene.lock.unlock();
        });
        futon::explorer::join();
        check(!has_overtaken, "[fifo] the lock is handed to the first waiter");
    });
}

TEST(ModelAsyncLock, ALockIsHandedToAThreadThatHasWaitedForTheThreshold) {
    expect_holds("lock, a waiter, an overtaker after the threshold", {}, [] {
        LockScene scene;
        bool has_overtaken = false;
        scene.lock.lock();
        spawn("waiter", [&] { take_once(scene); });
        spawn("owner", [&] {
            const bool has_waiter = futon::core::process_table().count(&scene.lock) == 1;
            futon::explorer::sleep_until("the threshold",
                                         futon::explorer::virtual_now() + futon::AsyncLock::handoff_threshold);
            scene.lock.unlock();
            if (!scene.lock.try_lock()) return;
            has_overtaken = has_waiter && scene.entered == 0;
            scene.lock.unlock();
        });
        futon::explorer::join();
        check(!has_overtaken, "[fifo] the lock is handed to the first waiter once the threshold has passed");
    });
}

// Of a task this holds only where its loop is not in the middle of a turn: see ModelLockQueue.
TEST(ModelAsyncLock, AThreadThatWasWokenInVainKeepsItsAge) {
    expect_holds("lock, a thread is woken in vain", {.preemptions = 3}, [] {
        LockScene scene;
        bool has_overtaken = false;
        scene.lock.lock();
        spawn("waiter", [&] { take_once(scene); });
        spawn("owner", [&] {
            const auto is_queued = [&] { return futon::core::process_table().count(&scene.lock) == 1; };
            const bool was_queued = is_queued();
            const auto begin = futon::explorer::virtual_now();
            constexpr auto threshold = futon::AsyncLock::handoff_threshold;
            futon::explorer::sleep_until("half the threshold", begin + threshold / 2);
            scene.lock.unlock();
            if (!scene.lock.try_lock()) return;
            const bool is_waiting = was_queued && scene.entered == 0;
            futon::explorer::sleep_until("the threshold", begin + threshold);
            const bool is_queued_again = is_waiting && is_queued();
            scene.lock.unlock();
            if (!scene.lock.try_lock()) return;
            has_overtaken = is_queued_again && scene.entered == 0;
            scene.lock.unlock();
        });
        futon::explorer::join();
        check(!has_overtaken, "[fifo] the lock is handed to a waiter by the age of its first attempt");
    });
}

#ifndef FUTON_MODEL_SPINS  // polls of three fibers are too many for this one
TEST(ModelAsyncLock, AnUnlockDoesNotRelyForEverOnAThreadThatItWoke) {
    expect_holds("lock, a woken thread that does not run, an owner that locks again", {.preemptions = 2}, [] {
        LockScene scene;
        bool was_queued = false;
        int locks = 0;
        scene.lock.lock();
        for (int i = 0; i < 2; ++i) spawn("thread", [&] { take_once(scene); });
        spawn("owner", [&] {
            was_queued = futon::core::process_table().count(&scene.lock) == 2;
            scene.lock.unlock();
            // Each fourth unlock asks whether a handoff is due.
            while (locks < 6 && scene.entered == 0 && scene.lock.try_lock()) {
                ++locks;
                const auto now = futon::explorer::virtual_now();
                if (locks == 1)
                    futon::explorer::sleep_until("two thresholds", now + 2 * futon::AsyncLock::handoff_threshold);
                scene.lock.unlock();
            }
        });
        futon::explorer::join();
        check(!was_queued || locks < 6, "[fifo] the lock is handed off although a woken thread has not run yet");
    });
}
#endif

TEST(ModelAsyncLock, ALoopThatEndsPassesItsWakeOn) {
    expect_holds("lock, a loop that ends, two threads", {.preemptions = 3, .clock_leaps = 1}, [] {
        LockScene scene;
        spawn("loop", [&] {
            futon::EventLoop loop;
            scene.lock.execute_locked([&] { scene.enter(); });
            loop.poll();
        });
        for (const char* name : {"A", "B"}) spawn(name, [&] { take_once(scene); });
        futon::explorer::join();
        check(scene.lock.try_lock(), "the lock is free in the end");
        check(futon::core::process_table().count(&scene.lock) == 0, "no waiter is queued");
    });
}

/// Is inside of the lock for as long as it lives.
class Inside {
public:
    explicit Inside(int& count) : count_(count) {
        check(count_++ == 0, "one at a time");
        futon::explorer::point("inside", this);
    }
    ~Inside() {
        futon::explorer::point("leaving", this);
        --count_;
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

private:
    int& count_;
};

TEST(ModelAsyncLock, ALoopThatEndsHoldsTheLockUntilWhatItProtectsIsGone) {
    expect_holds("a loop that ends inside of the lock, a thread", {}, [] {
        futon::AsyncLock lock;
        int inside = 0;
        int never = 0;
        spawn("loop", [&] {
            futon::EventLoop loop;
            lock.execute_locked([&]() -> futon::Promise<void> {
                const Inside here(inside);
                co_await futon::wait_async(futon::Word(never), 0);
            });
        });
        spawn("thread", [&] {
            const std::scoped_lock hold(lock);
            const Inside here(inside);
        });
        futon::explorer::join();
        check(lock.try_lock(), "the lock is free in the end");
    });
}

TEST(ModelAsyncLock, ALoopThatEndsPassesTheLockAlongItsOwnWaiters) {
    expect_holds("a loop that ends with three waiters, a thread", {.preemptions = 3}, [] {
        futon::AsyncLock lock;
        int never = 0;
        spawn("loop", [&] {
            futon::EventLoop loop;
            for (int i = 0; i < 3; ++i)
                lock.execute_locked(
                    [&]() -> futon::Promise<void> { co_await futon::wait_async(futon::Word(never), 0); });
            loop.poll();
        });
        spawn("thread", [&] { const std::scoped_lock hold(lock); });
        futon::explorer::join();
        check(lock.try_lock(), "the lock is free in the end");
        check(futon::core::process_table().count(&lock) == 0, "no waiter is queued");
    });
}

TEST(ModelAsyncLock, TheNextOwnerMayDestroyIt) {
    expect_holds("a lock that its next owner destroys", {.clock_leaps = 1}, [] {
        alignas(futon::AsyncLock) unsigned char storage[sizeof(futon::AsyncLock)];
        auto* lock = new (storage) futon::AsyncLock;
        lock->lock();
        spawn("owner", [&] { lock->unlock(); });
        spawn("heir", [&] {
            lock->lock();
            futon::explorer::point("destroys the lock", lock);
            std::ranges::fill(storage, 0xdd);
        });
        futon::explorer::join();
        const bool is_untouched = std::ranges::all_of(storage, [](unsigned char byte) { return byte == 0xdd; });
        check(is_untouched, "[last-touch] no unlock touches a lock that its next owner has destroyed");
    });
}

void deadline_and_handoff(int threads) {
    LockScene scene;
    int expected = threads;
    spawn("loop", [&] {
        futon::EventLoop loop;
        auto attempt = [&]() -> futon::Promise<void> {
            const auto guard = co_await scene.lock.scoped_lock_async(1ms);
            if (!guard) co_return;
            scene.enter();
            ++expected;
        };
        const auto attempted = attempt();
        loop.run();
    });
    for (int i = 0; i < threads; ++i) spawn("thread " + std::to_string(i), [&] { take_once(scene); });
    futon::explorer::join();
    scene.check_at_rest(expected);
}

// Where threads spin, two of them have too many schedules with four preemptions: these are left to one.
TEST(ModelAsyncLock, ADeadlineAndAHandoffAgree) {
    expect_holds("lock, a deadline on a loop, two threads", {.preemptions = 2, .clock_leaps = 1},
                 [] { deadline_and_handoff(2); });
}

TEST(ModelAsyncLock, ADeadlineAndAHandoffToTheOnlyThreadAgree) {
    expect_holds("lock, a deadline on a loop, a thread", {.preemptions = 4, .clock_leaps = 1},
                 [] { deadline_and_handoff(1); });
}

}  // namespace
