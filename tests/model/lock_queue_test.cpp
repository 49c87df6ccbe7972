// SPDX-License-Identifier: MIT
// What an unlock gives to which waiter, step by step. The clock stands still but where a test moves it.
#include <deque>
#include <optional>

#include <futon/futon.hpp>

#include "../support/lock_waiter.hpp"
#include "explore.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::Fairness;
using futon::core::WakeToken;
using futon::explorer::check;
using futon::explorer::sleep_until;
using futon::explorer::virtual_now;
using futon::test::expect_holds;
using futon::test::LockWaiter;
using QueuedKind = LockWaiter::Kind;

constexpr int one_loop = 1;
constexpr int another_loop = 2;

constexpr futon::explorer::Options alone_but_for_the_keeper{.preemptions = 1};

void until_handoff_is_due() {
    sleep_until("the threshold", virtual_now() + AsyncLock::handoff_threshold);
}

/// With a lock that is held at the beginning, of either order.
template <class Program>
void expect_of_locks(const char* name, Program program) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds(name, alone_but_for_the_keeper, [&] {
            AsyncLock lock(fairness);
            lock.lock();
            program(lock);
        });
}

/// Whether a task was offered the lock, and takes it.
bool takes(LockWaiter& task) {
    return task.given() && *task.given() != WakeToken::none && task.op.woken(*task.given());
}

/// The first in the queue is woken, and a passer-by takes the lock.
void wake_in_vain(AsyncLock& lock, const LockWaiter& first) {
    lock.unlock();
    check(first.given() == WakeToken::none && lock.try_lock(), "it is woken in vain");
}

TEST(ModelLockQueue, ATaskIsOfferedTheLockAndNoOtherIsWoken) {
    expect_of_locks("two tasks of a loop, a thread", [](AsyncLock& lock) {
        LockWaiter task(lock, QueuedKind::task, &one_loop);
        LockWaiter same(lock, QueuedKind::task, &one_loop);
        LockWaiter thread(lock, QueuedKind::thread);
        task.enqueue();
        same.enqueue();
        thread.enqueue();
        until_handoff_is_due();

        lock.unlock();

        check(!same.given() && !thread.given(), "those behind it wait");
        check(!lock.try_lock(), "it is the task's alone");
        check(takes(task) && !lock.try_lock(), "the task has taken it");
    });
}

TEST(ModelLockQueue, ATaskOfTheLoopThatUnlocksIsOfferedTheLockAtOnce) {
    expect_of_locks("a task of the loop that unlocks", [](AsyncLock& lock) {
        LockWaiter task(lock, QueuedKind::task, &one_loop);
        task.runs_here = true;
        task.enqueue();

        lock.unlock();

        check(!lock.try_lock(), "no passer-by of the loop is faster");
        check(takes(task), "the task has taken it");
    });
}

TEST(ModelLockQueue, ATaskOfTheLoopThatUnlocksIsOnlyWokenWhereAThreadWaits) {
    expect_holds("a task of the loop that unlocks, a thread", alone_but_for_the_keeper, [] {
        AsyncLock lock;
        lock.lock();
        LockWaiter task(lock, QueuedKind::task, &one_loop);
        LockWaiter thread(lock, QueuedKind::thread);
        task.runs_here = true;
        task.enqueue();
        thread.enqueue();

        lock.unlock();

        check(task.given() == WakeToken::none, "the task is woken");
        check(lock.try_lock(), "and nothing is kept for it");
    });
}

TEST(ModelLockQueue, AnOfferByTheTasksOwnLoopCountsAsAHandoffFromWhenItWasMade) {
    expect_holds("a task of the loop that unlocks, then a thread", alone_but_for_the_keeper, [] {
        AsyncLock lock;
        lock.lock();
        LockWaiter task(lock, QueuedKind::task, &one_loop);
        LockWaiter thread(lock, QueuedKind::thread);
        task.runs_here = true;
        task.enqueue();
        lock.unlock();
        check(thread.enqueue(), "the lock is kept for the task");
        sleep_until("most of the threshold", virtual_now() + 750us);
        check(takes(task), "the task has taken it");
        sleep_until("the threshold since the offer", virtual_now() + 500us);

        lock.unlock();

        check(thread.given() == WakeToken::handed_off, "the thread has it");
    });
}

TEST(ModelLockQueue, AWaiterThatComesAgainSeesThatAnOfferHasExpired) {
    expect_holds("a task that was woken in vain, one that is late", alone_but_for_the_keeper, [] {
        AsyncLock lock;
        lock.lock();
        LockWaiter again(lock, QueuedKind::task, &one_loop);
        LockWaiter late(lock, QueuedKind::task, &another_loop);
        again.enqueue();
        wake_in_vain(lock, again);
        late.enqueue();
        until_handoff_is_due();
        lock.unlock();
        check(late.given() && late.given() != WakeToken::none, "the lock is offered to the other");
        sleep_until("the end of the offer", virtual_now() + 2 * AsyncLock::handoff_threshold);

        check(!again.enqueue_again(), "it has taken the lock");
    });
}

TEST(ModelLockQueue, AnOldTryEndsNoOfferThatWasMadeSince) {
    expect_holds("a task that is held up between its try and its check", alone_but_for_the_keeper, [] {
        AsyncLock lock;
        lock.lock();
        LockWaiter first(lock, QueuedKind::task, &one_loop);
        LockWaiter next(lock, QueuedKind::task, &one_loop);
        LockWaiter slow(lock, QueuedKind::task, &another_loop);
        first.runs_here = next.runs_here = true;
        first.enqueue();
        lock.unlock();
        check(!slow.op.try_now(), "the lock is kept for the first");
        check(takes(first), "which takes it");
        sleep_until("longer than any offer", virtual_now() + 400ms);
        next.enqueue();
        lock.unlock();

        check(slow.enqueue(), "the lock is kept for the next");
        check(takes(next), "which takes it");
    });
}

TEST(ModelLockQueue, ALateTaskTakesNoOfferOfAnother) {
    expect_of_locks("a task that is late, one of another loop", [](AsyncLock& lock) {
        LockWaiter late(lock, QueuedKind::task, &one_loop);
        LockWaiter next(lock, QueuedKind::task, &another_loop);
        late.enqueue();
        until_handoff_is_due();
        lock.unlock();
        sleep_until("the end of the offer", virtual_now() + 2 * AsyncLock::handoff_threshold);
        check(lock.try_lock(), "the offer has expired");
        next.enqueue();
        until_handoff_is_due();
        lock.unlock();

        check(late.given() && !late.op.woken(*late.given()), "the late one has lost it");
        check(takes(next) && !lock.try_lock(), "the next has it");
    });
}

TEST(ModelLockQueue, ATaskThatIsGoneUnlocksWhatItWasOffered) {
    expect_of_locks("a task that is gone, one behind it", [](AsyncLock& lock) {
        LockWaiter gone(lock, QueuedKind::task, &one_loop);
        LockWaiter next(lock, QueuedKind::task, &one_loop);
        gone.enqueue();
        next.enqueue();
        until_handoff_is_due();
        lock.unlock();
        check(gone.given() && !next.given(), "the first is offered the lock");

        gone.op.give_back(*gone.given());

        check(next.given().has_value(), "the next is");
    });
}

TEST(ModelLockQueue, UnlockFairOffersTheLockToATaskWhateverTheTime) {
    expect_of_locks("unlock_fair, a task, a thread", [](AsyncLock& lock) {
        LockWaiter task(lock, QueuedKind::task, &one_loop);
        LockWaiter thread(lock, QueuedKind::thread);
        task.enqueue();
        thread.enqueue();

        lock.unlock_fair();

        check(!thread.given() && !lock.try_lock(), "it is the task's alone");
        check(takes(task), "the task has taken it");
    });
}

/// A held lock, a thread that was woken for it and does not run, and a thread behind that one.
struct LateThread {
    LateThread() {
        lock.lock();
        late.enqueue();
        wake_in_vain(lock, late);
        next.enqueue();
    }

    /// Unlocks and locks again, each after as long a hold.
    void pass_by(int times, std::chrono::nanoseconds hold) {
        for (int i = 0; i < times; ++i) {
            sleep_until("a hold", virtual_now() + hold);
            lock.unlock();
            check(lock.try_lock(), "the lock is free for the thread that has unlocked it");
        }
    }

    /// How many unlocks it takes to hand the lock off to the next, once that is due.
    int unlocks_until_it_is_handed_off(int most) {
        until_handoff_is_due();
        until_handoff_is_due();  // one more, for the thread that is on its way
        int unlocks = 0;
        do {
            lock.unlock();
            ++unlocks;
        } while (unlocks < most && lock.try_lock());
        check(next.given() == WakeToken::handed_off, "[fifo] the next is handed the lock");
        return unlocks;
    }

    AsyncLock lock;
    LockWaiter late{lock, QueuedKind::thread};
    LockWaiter next{lock, QueuedKind::thread};
};

TEST(ModelLockQueue, AnUnlockDoesNotRelyOnALateThreadForLong) {
    expect_holds("a thread that was woken and does not run, a thread behind it", alone_but_for_the_keeper, [] {
        LateThread scene;
        scene.unlocks_until_it_is_handed_off(4);
    });
}

TEST(ModelLockQueue, AThreadThatUnlocksInNoTimeAsksSeldomButNotForEverWhetherAHandoffIsDue) {
    expect_holds("a late thread, one behind it, very short holds", alone_but_for_the_keeper, [] {
        LateThread scene;
        scene.pass_by(12, 0ns);
        check(scene.unlocks_until_it_is_handed_off(16) > 4, "it does not ask at each fourth");
    });
}

TEST(ModelLockQueue, AThreadThatUnlocksNowAndThenAsksAtEachFourth) {
    expect_holds("a late thread, one behind it, longer holds", alone_but_for_the_keeper, [] {
        LateThread scene;
        scene.pass_by(12, 2us);
        scene.unlocks_until_it_is_handed_off(4);
    });
}

TEST(ModelLockQueue, AThreadTakesALockThatIsNotAsItLeftIt) {
    expect_holds("a thread that is woken, and takes; one that gives up", alone_but_for_the_keeper, [] {
        AsyncLock lock;
        lock.lock();
        LockWaiter first(lock, QueuedKind::thread);
        first.enqueue();
        wake_in_vain(lock, first);
        std::optional<LockWaiter> second(std::in_place, lock, QueuedKind::thread);
        second->enqueue();
        lock.unlock();
        first.op.woken(WakeToken::none);
        check(first.op.try_now(), "the woken thread takes what another left");
        check(!lock.try_lock(), "which cannot take it then");
        second.reset();

        lock.unlock();

        check(lock.try_lock() && lock.try_unlock() && lock.try_lock(), "it takes a lock without waiters");
        lock.unlock();
    });
}

TEST(ModelLockQueue, AWokenThreadThatTakesWhatItLeftIsOnItsWayNoMore) {
    expect_holds("a thread that is woken, and has unlocked before, a thread behind it", alone_but_for_the_keeper, [] {
        LateThread scene;
        scene.late.op.woken(WakeToken::none);
        scene.lock.unlock();

        check(scene.late.op.try_now(), "it takes");
        scene.lock.unlock();

        check(scene.next.given().has_value(), "[woken] the unlock does not rely on it");
    });
}

TEST(ModelLockQueue, AnUnlockDoesNotRelyOnAThreadThatHasGivenUp) {
    expect_holds("a thread that was woken and gives up, a thread behind it", alone_but_for_the_keeper, [] {
        LateThread scene;
        scene.late.op.woken(WakeToken::none);
        scene.late.op.give_back(WakeToken::none);

        scene.lock.unlock();

        check(scene.next.given().has_value(), "the next is woken");
    });
}

TEST(ModelLockQueue, AWaiterThatWasWokenInVainComesBeforeThoseThatCameLater) {
    expect_holds("a task that is woken in vain, a thread and one that comes later", alone_but_for_the_keeper, [] {
        AsyncLock lock;
        lock.lock();
        LockWaiter task(lock, QueuedKind::task, &one_loop);
        LockWaiter thread(lock, QueuedKind::thread);
        LockWaiter later(lock, QueuedKind::thread);
        task.enqueue();
        sleep_until("a little", virtual_now() + 1us);
        thread.enqueue();
        wake_in_vain(lock, task);
        check(!thread.given(), "the next is not");
        sleep_until("a little", virtual_now() + 1us);
        later.enqueue();
        task.enqueue_again();
        until_handoff_is_due();

        lock.unlock();

        check(task.given() && *task.given() != WakeToken::none, "[fifo] the first is offered the lock");
        check(!thread.given() && !later.given(), "[fifo] those behind it wait");
    });
}

TEST(ModelLockQueue, OfTwoThatWereWokenInVainTheOlderComesFirst) {
    expect_holds("two tasks that are woken in vain, and come back in either order", alone_but_for_the_keeper, [] {
        AsyncLock lock;
        lock.lock();
        LockWaiter older(lock, QueuedKind::task, &one_loop);
        LockWaiter younger(lock, QueuedKind::task, &another_loop);
        for (LockWaiter* const task : {&older, &younger}) {
            task->enqueue();
            wake_in_vain(lock, *task);
            sleep_until("a little", virtual_now() + 1us);
        }
        const bool is_older_faster = futon::explorer::choose(2) == 1;
        if (is_older_faster) older.enqueue_again();
        younger.enqueue_again();
        if (!is_older_faster) older.enqueue_again();
        until_handoff_is_due();

        lock.unlock();

        check(takes(older), "[fifo] the older is offered the lock");
        check(!younger.given(), "[fifo] the younger waits");
    });
}

TEST(ModelLockQueue, AStrictLockServesTasksAndThreadsInTheirOrder) {
    expect_holds("a strict lock, tasks and threads in turn", alone_but_for_the_keeper, [] {
        AsyncLock lock(Fairness::strict);
        lock.lock();
        constexpr int waiters_in_all = 12;
        std::deque<LockWaiter> waiters;
        for (int i = 0; i < waiters_in_all; ++i)
            waiters.emplace_back(lock, i % 4 == 3 ? QueuedKind::thread : QueuedKind::task, &one_loop).enqueue();
        for (int i = 0; i < waiters_in_all; ++i) {
            lock.unlock();
            check(!lock.try_lock(), "[fifo] the queue is the only way");
            LockWaiter& first = waiters[static_cast<std::size_t>(i)];
            check(i % 4 == 3 ? first.given() == WakeToken::handed_off : takes(first), "[fifo] the first has it");
            if (i + 1 < waiters_in_all)
                check(!waiters[static_cast<std::size_t>(i) + 1].given(), "[fifo] the next waits");
        }
        lock.unlock();
        check(lock.try_lock(), "the lock is free in the end");
    });
}

}  // namespace
