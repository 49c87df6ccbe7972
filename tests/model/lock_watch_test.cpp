// SPDX-License-Identifier: MIT
// [offer] Who watches an offer, and what becomes of that when the watcher leaves. Each of these was wrong once, in the lock or
// in its first model.
#include <deque>

#include <futon/futon.hpp>

#include "../support/lock_waiter.hpp"
#include "explore.hpp"
#include "offer_scene.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::Fairness;
using futon::explorer::check;
using futon::explorer::sleep_until;
using futon::explorer::spawn;
using futon::explorer::virtual_now;
using futon::test::expect_holds;
using futon::test::OfferScene;

std::size_t queued_for(const AsyncLock& lock) {
    return futon::core::process_table().count(&lock);
}

/// Takes the lock if it is free or its offer has expired, as any passer-by may.
void barge(OfferScene& scene, int& expected) {
    sleep_until("the threshold", virtual_now() + 2 * AsyncLock::handoff_threshold);
    if (!scene.lock.try_lock()) return;
    scene.enter();
    ++expected;
    scene.lock.unlock();
}

/// Locks, unless the deadline comes first.
void try_briefly(OfferScene& scene, int& expected) {
    if (!scene.lock.try_lock_for(1us)) return;
    scene.enter();
    ++expected;
    scene.lock.unlock();
}

/// A thread that watches the offer gives up, one takes the lock in passing, one waits.
void let_a_watcher_leave(int functions) {
    OfferScene scene(Fairness::strict, functions);
    int expected = functions + 1;
    scene.lock.unlock();  // offered
    spawn("impatient", [&] { try_briefly(scene, expected); });
    spawn("passer-by", [&] { barge(scene, expected); });
    spawn("thread", [&] { scene.take(); });
    futon::explorer::join();
    scene.finish(expected);
}

TEST(ModelWatch, AnUnlockReliesOnNoWatcherThatHasLeft) {
    expect_holds("strict lock, two functions of a loop that does not run, a deadline, a passer-by, a thread",
                 {.preemptions = 2}, [] { let_a_watcher_leave(2); });
}

TEST(ModelWatch, AThreadThatAWatcherHandsTheLockToSeesWhatCameBeforeOnAWeakMemory) {
    expect_holds("strict lock, a loop that does not run, a deadline, a passer-by, a thread, weak",
                 {.preemptions = 2, .stale_loads = 1}, [] { let_a_watcher_leave(1); });
}

TEST(ModelWatch, ALoneWaiterIsHandedTheLockByTheAgeOfItsWholeWait) {
    expect_holds("lock, a waiter that was woken in vain, an overtaker", {}, [] {
        AsyncLock lock;
        bool has_entered = false;
        bool is_overtaken = false;
        lock.lock();
        spawn("waiter", [&] {
            lock.lock();
            has_entered = true;
            lock.unlock();
        });
        spawn("owner", [&] {
            const bool was_queued = queued_for(lock) == 1;
            const auto begin = virtual_now();
            lock.unlock();
            if (!lock.try_lock()) return;
            sleep_until("the threshold", begin + AsyncLock::handoff_threshold);
            const bool is_queued = was_queued && queued_for(lock) == 1;
            lock.unlock();
            if (!lock.try_lock()) return;
            is_overtaken = is_queued && !has_entered;
            lock.unlock();
        });
        futon::explorer::join();
        check(!is_overtaken, "[fifo] a waiter keeps its age when it is woken in vain");
    });
}

/// A loop of its own, with a function that takes the lock; if it has a deadline it may give up.
void run_loop(OfferScene& scene, bool is_impatient, int& expected) {
    futon::EventLoop loop;
    auto take = [&]() -> futon::Promise<void> {
        const auto guard =
            co_await scene.lock.scoped_lock_async(is_impatient ? futon::Deadline(1us) : futon::Deadline::never());
        if (!guard) co_return;
        scene.enter();
        ++expected;
    };
    loop.run_until(take());
}

TEST(ModelWatch, ATaskThatLeavesIsReplacedByATaskOfAnotherLoop) {
    expect_holds("strict lock, a loop that does not run, a task with a deadline, a loop", {.preemptions = 1}, [] {
        OfferScene scene(Fairness::strict);
        int expected = 1;
        spawn("impatient", [&] { run_loop(scene, true, expected); });
        spawn("loop", [&] { run_loop(scene, false, expected); });
        spawn("owner", [&] { scene.lock.unlock(); });
        futon::explorer::join();
        scene.finish(expected);
    });
}

TEST(ModelWatch, ATaskThatLeavesIsNotReplacedByTheLoopThatHasTheOfferAlone) {
    expect_holds("strict lock, two functions of a loop that does not run, a task with a deadline, a loop",
                 {.preemptions = 1}, [] {
                     OfferScene scene(Fairness::strict, 2);
                     int expected = 2;
                     spawn("impatient", [&] { run_loop(scene, true, expected); });
                     spawn("loop", [&] { run_loop(scene, false, expected); });
                     spawn("owner", [&] { scene.lock.unlock(); });
                     futon::explorer::join();
                     scene.finish(expected);
                 });
}

TEST(ModelWatch, ASelectThatWaitsOnWatchesTheNextOfferToo) {
    expect_holds("strict lock, two functions of a loop that does not run, a select, a passer-by", {.preemptions = 2},
                 [] {
                     OfferScene scene(Fairness::strict, 2);
                     int expected = 3;
                     int never = 0;
                     scene.lock.unlock();  // offered
                     spawn("select", [&] {
                         auto chosen = futon::select(scene.lock.locking(), futon::waiting(futon::Word(never), 0));
                         check(chosen.index() == 0 && std::get<0>(chosen).owns_lock(), "the lock is taken");
                         scene.enter();
                     });
                     spawn("passer-by", [&] { barge(scene, expected); });
                     futon::explorer::join();
                     scene.finish(expected);
                 });
}

TEST(ModelWatch, ASelectThatWasWokenInVainStillWatches) {
    expect_holds("strict lock offered to a loop that does not run, a select of it and a second lock",
                 {.preemptions = 2}, [] {
                     OfferScene scene(Fairness::strict);
                     AsyncLock second;
                     second.lock();
                     scene.lock.unlock();  // offered
                     spawn("select", [&] {
                         auto chosen = futon::select(second.locking(), scene.lock.locking());
                         if (chosen.index() == 1) {
                             scene.enter();
                         } else {
                             std::get<0>(chosen).unlock();
                             scene.take();
                         }
                     });
                     spawn("owner", [&] {
                         second.unlock();
                         second.try_lock();  // and keeps it, where it comes before the select
                     });
                     futon::explorer::join();
                     scene.finish(2);
                 });
}

TEST(ModelWatch, ASelectThatGaveTheLockBackWatchesNoMore) {
    expect_holds(
        "strict lock, two functions of a loop that does not run, a select of it and a word, a notifier, a thread",
        {.preemptions = 2, .clock_leaps = 1}, [] {
            OfferScene scene(Fairness::strict, 2);
            int expected = 3;
            int cell = 0;
            spawn("select", [&] {
                auto chosen = futon::select(scene.lock.locking(), futon::waiting(futon::Word(cell), 0));
                if (chosen.index() != 0) return;
                scene.enter();
                ++expected;
            });
            spawn("owner", [&] {
                scene.lock.unlock();
                futon::Word(cell).store(1);
                futon::notify(futon::Word(cell));
                scene.take();
            });
            futon::explorer::join();
            scene.finish(expected);
        });
}

TEST(ModelWatch, ASearchThatStoppedHidesNoThread) {
    expect_holds("a leaver's search, a passer-by, a hundred tasks of one loop, a thread", {.clock_leaps = 1}, [] {
        using futon::test::LockWaiter;
        const int loop = 0;
        AsyncLock lock(Fairness::strict);
        lock.lock();
        LockWaiter first(lock, LockWaiter::Kind::task, &loop);
        LockWaiter leaver(lock, LockWaiter::Kind::thread);
        LockWaiter thread(lock, LockWaiter::Kind::thread);
        std::deque<LockWaiter> tasks;
        first.enqueue();
        leaver.enqueue();
        for (int i = 0; i < 100; ++i) tasks.emplace_back(lock, LockWaiter::Kind::task, &loop).enqueue();
        thread.enqueue();
        lock.unlock();  // offered to the first; the leaver is to watch
        bool is_taken = false;
        tasks[1].on_describe = [&] { is_taken = is_taken || lock.try_lock(); };  // where the offer has just expired

        leaver.op.give_back(*leaver.given());
        if (is_taken) lock.unlock();

        check(thread.given().has_value(), "a thread is woken beside a task that may never run");
    });
}

TEST(ModelWatch, AnUnlockDoesNotRelyOnALateThreadPastTheThreshold) {
    expect_holds("lock, a thread that was woken and does not run, a thread behind it", {}, [] {
        using futon::test::LockWaiter;
        const int loop = 0;
        AsyncLock lock;
        lock.lock();
        LockWaiter task(lock, LockWaiter::Kind::task, &loop);
        LockWaiter late(lock, LockWaiter::Kind::thread);
        LockWaiter next(lock, LockWaiter::Kind::thread);
        task.enqueue();
        late.enqueue();
        sleep_until("the threshold", virtual_now() + AsyncLock::handoff_threshold);
        lock.unlock();
        check(task.op.woken(*task.given()), "the task takes its offer");
        check(late.given() == futon::core::WakeToken::none, "a thread is woken beside it");
        next.enqueue();
        sleep_until("the threshold", virtual_now() + AsyncLock::handoff_threshold);

        int unlocks = 0;
        do {
            lock.unlock();
            ++unlocks;
        } while (unlocks < 4 && lock.try_lock());

        check(next.given() == futon::core::WakeToken::handed_off, "the next is handed the lock");
    });
}

TEST(ModelWatch, AWaiterThatWasWokenInVainComesBeforeThoseThatCameLater) {
    expect_holds("lock, a task and a thread that are woken in vain, a thread that comes later", {}, [] {
        using futon::test::LockWaiter;
        const int loop = 0;
        AsyncLock lock;
        lock.lock();
        LockWaiter task(lock, LockWaiter::Kind::task, &loop);
        LockWaiter thread(lock, LockWaiter::Kind::thread);
        LockWaiter later(lock, LockWaiter::Kind::thread);
        task.enqueue();
        sleep_until("a little", virtual_now() + 1us);
        thread.enqueue();
        lock.unlock();
        check(lock.try_lock(), "no handoff is due");
        sleep_until("a little", virtual_now() + 1us);
        later.enqueue();
        const bool is_thread_faster = futon::explorer::choose(2) == 1;
        if (is_thread_faster) thread.enqueue_again();
        task.enqueue_again();
        if (!is_thread_faster) thread.enqueue_again();
        sleep_until("the threshold", virtual_now() + AsyncLock::handoff_threshold);

        lock.unlock();

        check(task.given() && *task.given() != futon::core::WakeToken::none, "[fifo] the first is offered the lock");
        check(thread.given() == futon::core::WakeToken::none, "[fifo] its company is the next");
        check(!later.given(), "[fifo] the last waits");
    });
}

}  // namespace
