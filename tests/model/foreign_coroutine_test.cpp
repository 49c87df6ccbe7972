// SPDX-License-Identifier: MIT
// Coroutines of another library: their frames may be destroyed while they are queued, and while their wake is under way.
#include <cstddef>
#include <optional>

#include <futon/futon.hpp>

#include "explore.hpp"
#include "scene.hpp"
#include "support/coroutines.hpp"

namespace {

using futon::explorer::check;
using futon::explorer::spawn;
using futon::test::expect_holds;
using futon::test::OwnedCoroutine;
using futon::test::Scene;

/// Locks and unlocks, in a frame that the caller owns.
OwnedCoroutine lock_once(futon::AsyncLock& lock, int& entered) {
    const auto guard = co_await lock.scoped_lock_async();
    if (guard) ++entered;
}

/// Waits at the word of a scene, in a frame that the caller owns.
OwnedCoroutine wait_once(Scene& scene) {
    futon::test::count(scene, co_await futon::wait_async(scene.word(), 0));
}

void check_is_free(futon::AsyncLock& lock) {
    check(lock.try_lock(), "the lock is free in the end");
    check(futon::core::process_table().count(&lock) == 0, "no waiter is queued");
}

TEST(ModelForeignCoroutine, PassesTheLockOnToTheNextOfItsLoopWhenDestroyed) {
    for (const auto fairness : futon::test::fairnesses)
        expect_holds("a coroutine that locks is destroyed, another waits", {.preemptions = 3, .clock_leaps = 1},
                     [fairness] {
                         futon::AsyncLock lock(fairness);
                         int entered = 0;
                         lock.lock();
                         spawn("owner", [&] { lock.unlock(); });
                         spawn("loop", [&] {
                             futon::EventLoop loop;
                             OwnedCoroutine first = lock_once(lock, entered);
                             int next = 0;
                             lock.execute_locked([&] { ++next; });
                             first.destroy();
                             loop.run();
                             check(next == 1, "the next in the queue has the lock");
                         });
                         futon::explorer::join();
                         check_is_free(lock);
                     });
}

TEST(ModelForeignCoroutine, PassesTheLockOnToAThreadWhenDestroyed) {
    for (const auto fairness : futon::test::fairnesses)
        expect_holds("a coroutine that locks is destroyed, a thread waits", {.preemptions = 3, .clock_leaps = 1},
                     [fairness] {
                         futon::AsyncLock lock(fairness);
                         int entered = 0;
                         lock.lock();
                         spawn("owner", [&] { lock.unlock(); });
                         spawn("loop", [&] {
                             const futon::EventLoop loop;
                             OwnedCoroutine coroutine = lock_once(lock, entered);
                             coroutine.destroy();
                         });
                         spawn("thread", [&] {
                             lock.lock();
                             lock.unlock();
                         });
                         futon::explorer::join();
                         check_is_free(lock);
                     });
}

TEST(ModelForeignCoroutine, IsNotResumedOnceItIsDestroyed) {
    expect_holds("a coroutine that waits is destroyed, another waits, a notifier", {}, [] {
        Scene scene;
        spawn("loop", [&] {
            futon::EventLoop loop;
            OwnedCoroutine first = wait_once(scene);
            const OwnedCoroutine second = wait_once(scene);
            first.destroy();
            loop.run();
        });
        spawn("notifier", [&] {
            scene.word().store(1);
            scene.notified = futon::notify(scene.word());
        });
        futon::explorer::join();
        const std::size_t unseen = scene.notified - scene.ok;
        check(unseen <= 1, "each wake is that of a coroutine that goes on, or of the one that was destroyed");
        check(futon::core::process_table().count(&scene.cell) == 0, "no waiter is queued");
    });
}

TEST(ModelForeignCoroutine, IsResumedByTheEndOfItsLoopWithTheLockPassedOn) {
    for (const auto fairness : futon::test::fairnesses)
        expect_holds("a loop ends, two coroutines lock, a thread", {.preemptions = 2, .clock_leaps = 1}, [fairness] {
            futon::AsyncLock lock(fairness);
            int entered = 0;
            lock.lock();
            spawn("owner", [&] { lock.unlock(); });
            spawn("loop", [&] {
                std::optional<futon::EventLoop> loop(std::in_place);
                const OwnedCoroutine first = lock_once(lock, entered);
                const OwnedCoroutine second = lock_once(lock, entered);
                loop.reset();
                check(first.is_done() && second.is_done(), "each has gone on");
            });
            spawn("thread", [&] {
                lock.lock();
                lock.unlock();
            });
            futon::explorer::join();
            check_is_free(lock);
        });
}

}  // namespace
