// SPDX-License-Identifier: MIT
// [offer] Who gets a lock that is offered to a loop that does not run, and what becomes of it when those leave that wait. Each of
// these was wrong once, in a lock or in its model.

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

/// A thread gives up while an offer is open, one takes the lock in passing, one waits.
void let_a_waiter_leave(int functions) {
    OfferScene scene(Fairness::strict, functions);
    int expected = functions + 1;
    scene.lock.unlock();  // offered
    spawn("impatient", [&] { try_briefly(scene, expected); });
    spawn("passer-by", [&] { barge(scene, expected); });
    spawn("thread", [&] { scene.take(); });
    futon::explorer::join();
    scene.finish(expected);
}

TEST(ModelLateLoop, AnUnlockReliesOnNoWaiterThatHasLeft) {
    expect_holds("strict lock, two functions of a loop that does not run, a deadline, a passer-by, a thread",
                 {.preemptions = 2}, [] { let_a_waiter_leave(2); });
}

TEST(ModelLateLoop, AThreadSeesWhatCameBeforeOnAWeakMemory) {
    expect_holds("strict lock, a loop that does not run, a deadline, a passer-by, a thread, weak",
                 {.preemptions = 2, .stale_loads = 1}, [] { let_a_waiter_leave(1); });
}

TEST(ModelLateLoop, ALoneWaiterIsHandedTheLockByTheAgeOfItsWholeWait) {
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

/// Behind functions of a loop that does not run, a task of another gives up, and one of a third waits.
void let_a_task_leave(int functions) {
    OfferScene scene(Fairness::strict, functions);
    int expected = functions;
    spawn("impatient", [&] { run_loop(scene, true, expected); });
    spawn("loop", [&] { run_loop(scene, false, expected); });
    spawn("owner", [&] { scene.lock.unlock(); });
    futon::explorer::join();
    scene.finish(expected);
}

TEST(ModelLateLoop, ATaskThatLeavesHoldsBackNoOtherLoop) {
    expect_holds("strict lock, a loop that does not run, a task with a deadline, a loop", {.preemptions = 1},
                 [] { let_a_task_leave(1); });
}

TEST(ModelLateLoop, ATaskThatLeavesHoldsBackNoOtherLoopBehindTwoOffers) {
    expect_holds("strict lock, two functions of a loop that does not run, a task with a deadline, a loop",
                 {.preemptions = 1}, [] { let_a_task_leave(2); });
}

TEST(ModelLateLoop, ASelectThatWaitsOnGetsTheLockAfterTheNextOffer) {
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

TEST(ModelLateLoop, ASelectThatWasWokenInVainStillWaits) {
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

TEST(ModelLateLoop, ASelectThatGaveTheLockBackIsNotReliedOn) {
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

}  // namespace
