// SPDX-License-Identifier: MIT
// [offer] A lock does not wait for an event loop that does not run.
#include <algorithm>
#include <new>

#include <futon/futon.hpp>

#include "explore.hpp"
#include "offer_scene.hpp"

namespace {

using namespace std::chrono_literals;
using futon::explorer::check;
using futon::explorer::spawn;
using futon::test::expect_holds;

using futon::test::OfferScene;

TEST(ModelOffer, AThreadTakesALockThatWasOfferedToALoopThatDoesNotRun) {
    expect_holds("strict lock, a loop that does not run, two threads", {.preemptions = 3}, [] {
        OfferScene scene(futon::Fairness::strict);
        spawn("owner", [&] { scene.lock.unlock(); });
        for (const char* name : {"A", "B"}) spawn(name, [&] { scene.take(); });
        scene.finish(3);
    });
}

TEST(ModelOffer, AThreadSeesWhatAnExpiredOfferProtectsOnAWeakMemory) {
    expect_holds("strict lock, a loop that does not run, a thread, weak", {.preemptions = 2, .stale_loads = 1}, [] {
        OfferScene scene(futon::Fairness::strict);
        spawn("owner", [&] {
            scene.enter();
            scene.lock.unlock();
        });
        spawn("thread", [&] { scene.take(); });
        scene.finish(3);
    });
}

TEST(ModelOffer, AThreadTakesALockWhoseOnlyWokenWaiterIsALoopThatDoesNotRun) {
    expect_holds("lock, a loop that does not run, two threads", {.preemptions = 3, .clock_leaps = 1}, [] {
        OfferScene scene(futon::Fairness::bounded);
        spawn("owner", [&] { scene.lock.unlock(); });
        for (const char* name : {"A", "B"}) spawn(name, [&] { scene.take(); });
        scene.finish(3);
    });
}

TEST(ModelOffer, IsTakenByAnotherThreadWhenTheFirstGivesUp) {
    expect_holds("strict lock, a loop that does not run, a deadline, a thread", {.preemptions = 2}, [] {
        OfferScene scene(futon::Fairness::strict);
        int expected = 2;
        spawn("owner", [&] { scene.lock.unlock(); });
        spawn("impatient", [&] {
            if (!scene.lock.try_lock_for(1us)) return;
            scene.enter();
            ++expected;
            scene.lock.unlock();
        });
        spawn("thread", [&] { scene.take(); });
        futon::explorer::join();
        scene.finish(expected);
    });
}

TEST(ModelOffer, IsWatchedByASelect) {
    for (const auto fairness : {futon::Fairness::strict, futon::Fairness::bounded})
        expect_holds("lock, a loop that does not run, a select, a thread", {.preemptions = 2}, [fairness] {
            OfferScene scene(fairness);
            int never = 0;
            spawn("owner", [&] { scene.lock.unlock(); });
            spawn("select", [&] {
                auto chosen = futon::select(scene.lock.locking(), futon::waiting(futon::Word(never), 0));
                check(chosen.index() == 0 && std::get<0>(chosen).owns_lock(), "the lock is taken");
                scene.enter();
            });
            spawn("thread", [&] { scene.take(); });
            scene.finish(3);
        });
}

TEST(ModelOffer, PassesTwoLoopsThatDoNotRun) {
    expect_holds("lock, two loops that do not run, a thread", {.preemptions = 2}, [] {
        OfferScene scene(futon::Fairness::strict);
        int is_done = 0;
        spawn("loop", [&] {
            futon::EventLoop loop(futon::CanBlock::yes);
            scene.lock.execute_locked([&] { scene.enter(); });
            futon::wait(futon::Word(is_done), 0);
            loop.run();
        });
        spawn("owner", [&] { scene.lock.unlock(); });
        spawn("thread", [&] {
            scene.take();
            futon::Word(is_done).store(1);
            futon::notify(futon::Word(is_done));
        });
        scene.finish(3);
    });
}

TEST(ModelOffer, IsNotTakenForThatOfAnotherLoop) {
    for (const auto fairness : {futon::Fairness::strict, futon::Fairness::bounded})
        expect_holds("lock, a late loop, a loop that runs, a thread", {.preemptions = 2, .clock_leaps = 1}, [fairness] {
            OfferScene scene(fairness);
            spawn("loop", [&] {
                futon::EventLoop loop;
                scene.lock.execute_locked([&] { scene.enter(); });
                loop.run();
            });
            spawn("owner", [&] { scene.lock.unlock(); });
            spawn("thread", [&] { scene.take(); });
            scene.finish(3);
        });
}

TEST(ModelOffer, IsPassedOnByALoopThatEnds) {
    for (const auto fairness : {futon::Fairness::strict, futon::Fairness::bounded})
        expect_holds("lock, a loop that ends, two threads", {.preemptions = 2, .clock_leaps = 1}, [fairness] {
            futon::AsyncLock lock(fairness);
            int entered = 0;
            spawn("loop", [&] {
                futon::EventLoop loop;
                lock.execute_locked([&] {});
                lock.execute_locked([&] {});
                loop.poll();
            });
            for (const char* name : {"A", "B"})
                spawn(name, [&] {
                    const std::scoped_lock hold(lock);
                    ++entered;
                });
            futon::explorer::join();
            check(entered == 2, "each has entered");
            check(lock.try_lock(), "the lock is free in the end");
            check(futon::core::process_table().count(&lock) == 0, "no waiter is queued");
        });
}

TEST(ModelOffer, IsKeptByTheLoopThatTakesItInTime) {
    expect_holds("strict lock, a loop, an overtaker", {.preemptions = 3}, [] {
        futon::AsyncLock lock(futon::Fairness::strict);
        bool has_run = false;
        bool is_overtaken = false;
        lock.lock();
        spawn("loop", [&] {
            futon::EventLoop loop;
            lock.execute_locked([&] { has_run = true; });
            loop.run();
        });
        spawn("owner", [&] {
            const bool has_waiter = futon::core::process_table().count(&lock) == 1;
            const auto begin = futon::explorer::virtual_now();
            lock.unlock();
            if (!lock.try_lock()) return;
            const bool is_early = futon::explorer::virtual_now() - begin < futon::AsyncLock::handoff_threshold;
            is_overtaken = is_early && has_waiter && !has_run;
            lock.unlock();
        });
        futon::explorer::join();
        check(!is_overtaken, "[fifo] no thread takes a lock that is offered before the threshold has passed");
    });
}

TEST(ModelOffer, TheTaskThatTakesItMayDestroyTheLock) {
    expect_holds("a lock that its next owner, a task, destroys", {.preemptions = 3}, [] {
        alignas(futon::AsyncLock) unsigned char storage[sizeof(futon::AsyncLock)];
        auto* lock = new (storage) futon::AsyncLock(futon::Fairness::strict);
        lock->lock();
        spawn("owner", [&] { lock->unlock(); });
        spawn("heir", [&] {
            futon::EventLoop loop;
            auto destroy = [&]() -> futon::Promise<void> {
                auto guard = co_await lock->scoped_lock_async();
                guard.release();
                std::ranges::fill(storage, 0xdd);
            };
            loop.run_until(destroy());
        });
        futon::explorer::join();
        const bool is_untouched = std::ranges::all_of(storage, [](unsigned char byte) { return byte == 0xdd; });
        check(is_untouched, "[last-touch] no unlock touches a lock that its next owner has destroyed");
    });
}

}  // namespace
