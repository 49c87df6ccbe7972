// SPDX-License-Identifier: MIT
// What an unlock gives to which waiter, step by step on one thread.
#include <deque>
#include <mutex>
#include <system_error>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/lock_waiter.hpp"
#include "support/waiting.hpp"

namespace {

using futon::AsyncLock;
using futon::Fairness;
using futon::core::Caller;
using futon::core::WakeToken;
using futon::test::LockWaiter;
using futon::test::until_after;
using futon::test::until_handoff_is_due;
using Kind = LockWaiter::Kind;

constexpr int one_loop = 1;
constexpr int another_loop = 2;

/// Locks, as it stands, that are held at the beginning.
class LockQueue : public testing::TestWithParam<Fairness> {
protected:
    LockQueue() { EXPECT_TRUE(lock.try_lock()); }

    bool until_passer_by_takes_it() {
        until_after(std::chrono::steady_clock::now() + 2 * AsyncLock::handoff_threshold);
        return lock.try_lock();
    }

    AsyncLock lock{GetParam()};
};

TEST_P(LockQueue, HandsTheLockOffToAThreadThatHasWaitedForTheThreshold) {
    LockWaiter thread(lock, Kind::thread);
    ASSERT_TRUE(thread.enqueue());
    until_handoff_is_due();

    lock.unlock();

    ASSERT_EQ(thread.given(), WakeToken::handed_off);
    EXPECT_FALSE(lock.try_lock());
    EXPECT_TRUE(thread.op.woken(WakeToken::handed_off));
    lock.unlock();
    EXPECT_TRUE(lock.try_lock());
}

TEST_P(LockQueue, OffersTheLockToATaskAndWakesAThreadToWatch) {
    LockWaiter task(lock, Kind::task, &one_loop);
    LockWaiter same(lock, Kind::task, &one_loop);
    LockWaiter thread(lock, Kind::thread);
    ASSERT_TRUE(task.enqueue());
    ASSERT_TRUE(same.enqueue());
    ASSERT_TRUE(thread.enqueue());
    until_handoff_is_due();

    lock.unlock();

    ASSERT_TRUE(task.given());
    EXPECT_EQ(same.given(), std::nullopt);
    EXPECT_EQ(thread.given(), WakeToken::none);
    EXPECT_TRUE(task.op.woken(*task.given()));
    EXPECT_FALSE(lock.try_lock());
}

TEST_P(LockQueue, OffersTheLockAtOnceToATaskOfTheLoopThatUnlocks) {
    LockWaiter task(lock, Kind::task, &one_loop);
    task.runs_here = true;
    ASSERT_TRUE(task.enqueue());

    lock.unlock();

    ASSERT_TRUE(task.given());
    EXPECT_NE(task.given(), WakeToken::none);
    EXPECT_TRUE(task.op.woken(*task.given()));
    EXPECT_FALSE(lock.try_lock());
}

TEST_P(LockQueue, ALateTaskTakesNoOfferOfAnother) {
    LockWaiter late(lock, Kind::task, &one_loop);
    LockWaiter next(lock, Kind::task, &another_loop);
    ASSERT_TRUE(late.enqueue());
    until_handoff_is_due();
    lock.unlock();
    ASSERT_TRUE(until_passer_by_takes_it());
    ASSERT_TRUE(next.enqueue());
    until_handoff_is_due();
    lock.unlock();

    ASSERT_TRUE(late.given());
    ASSERT_TRUE(next.given());
    EXPECT_FALSE(late.op.woken(*late.given()));
    EXPECT_TRUE(next.op.woken(*next.given()));
    EXPECT_FALSE(lock.try_lock());
}

TEST_P(LockQueue, ATaskThatIsGoneUnlocksWhatItWasOffered) {
    LockWaiter gone(lock, Kind::task, &one_loop);
    LockWaiter next(lock, Kind::task, &one_loop);
    ASSERT_TRUE(gone.enqueue());
    ASSERT_TRUE(next.enqueue());
    until_handoff_is_due();
    lock.unlock();
    ASSERT_TRUE(gone.given());
    EXPECT_EQ(next.given(), std::nullopt);

    gone.op.give_back(*gone.given());

    EXPECT_TRUE(next.given());
}

TEST_P(LockQueue, FindsAThreadBehindVeryManyTasksAlsoAfterASearchThatStopped) {
    LockWaiter first(lock, Kind::task, &one_loop);
    LockWaiter leaver(lock, Kind::thread);
    LockWaiter thread(lock, Kind::thread);
    std::deque<LockWaiter> tasks;
    ASSERT_TRUE(first.enqueue());
    ASSERT_TRUE(leaver.enqueue());
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(tasks.emplace_back(lock, Kind::task, &one_loop).enqueue());
    ASSERT_TRUE(thread.enqueue());
    until_handoff_is_due();
    lock.unlock();
    ASSERT_EQ(leaver.given(), WakeToken::none);
    bool is_taken = false;
    tasks[1].on_describe = [&] { is_taken = is_taken || until_passer_by_takes_it(); };

    leaver.op.give_back(*leaver.given());  // the search for others stops at the passer-by
    if (is_taken) lock.unlock();

    EXPECT_EQ(thread.given(), WakeToken::none);
}

TEST_P(LockQueue, UnlockFairHandsTheLockOffToAThreadWhateverTheTime) {
    LockWaiter thread(lock, Kind::thread);
    LockWaiter next(lock, Kind::thread);
    ASSERT_TRUE(thread.enqueue());
    ASSERT_TRUE(next.enqueue());

    lock.unlock_fair();

    EXPECT_EQ(thread.given(), WakeToken::handed_off);
    EXPECT_EQ(next.given(), std::nullopt);
    EXPECT_FALSE(lock.try_lock());
}

TEST_P(LockQueue, UnlockFairOffersTheLockToATaskWhateverTheTime) {
    LockWaiter task(lock, Kind::task, &one_loop);
    LockWaiter thread(lock, Kind::thread);
    ASSERT_TRUE(task.enqueue());
    ASSERT_TRUE(thread.enqueue());

    lock.unlock_fair();

    ASSERT_TRUE(task.given());
    EXPECT_NE(*task.given(), WakeToken::none);
    EXPECT_EQ(thread.given(), WakeToken::none);
    EXPECT_TRUE(task.op.woken(*task.given()));
    EXPECT_FALSE(lock.try_lock());
}

TEST_P(LockQueue, UnlockFairReleasesALockWithoutWaiters) {
    lock.unlock_fair();

    EXPECT_TRUE(lock.try_lock());
    lock.unlock_fair();
    EXPECT_TRUE(lock.try_lock());
}

TEST_P(LockQueue, UnlockFairReleasesALockWhoseWaiterHasLeft) {
    {
        LockWaiter gone(lock, Kind::thread);
        ASSERT_TRUE(gone.enqueue());
    }

    lock.unlock_fair();

    EXPECT_TRUE(lock.try_lock());
}

TEST_P(LockQueue, UnlockFairOfALockThatIsNotHeldThrows) {
    lock.unlock();

    try {
        lock.unlock_fair();
        ADD_FAILURE() << "unlock_fair() did not throw";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::operation_not_permitted);
    }
    EXPECT_TRUE(lock.try_lock());
}

TEST_P(LockQueue, AGuardUnlocksFairlyOnRequest) {
    AsyncLock::Guard guard(lock, std::adopt_lock);
    LockWaiter thread(lock, Kind::thread);
    ASSERT_TRUE(thread.enqueue());

    guard.unlock_fair();

    EXPECT_FALSE(guard);
    EXPECT_EQ(thread.given(), WakeToken::handed_off);
    EXPECT_THROW(guard.unlock_fair(), std::system_error);
}

INSTANTIATE_TEST_SUITE_P(AsyncLock, LockQueue, testing::Values(Fairness::bounded, Fairness::strict),
                         [](const auto& test) { return test.param == Fairness::strict ? "Strict" : "Bounded"; });

TEST(BoundedLockQueue, UnlockFairHandsTheLockOffPastAThreadThatIsOnItsWay) {
    AsyncLock lock;
    ASSERT_TRUE(lock.try_lock());
    LockWaiter woken(lock, Kind::thread);
    LockWaiter next(lock, Kind::thread);
    ASSERT_TRUE(woken.enqueue());
    ASSERT_TRUE(next.enqueue());
    lock.unlock_fair();
    ASSERT_EQ(woken.given(), WakeToken::handed_off);

    lock.unlock_fair();

    EXPECT_EQ(next.given(), WakeToken::handed_off);
}

TEST(BoundedLockQueue, IsHandedOffPastAThreadThatIsLate) {
    AsyncLock lock;
    ASSERT_TRUE(lock.try_lock());
    LockWaiter task(lock, Kind::task, &one_loop);
    LockWaiter late(lock, Kind::thread);
    LockWaiter next(lock, Kind::thread);
    ASSERT_TRUE(task.enqueue());
    ASSERT_TRUE(late.enqueue());
    until_handoff_is_due();
    lock.unlock();
    ASSERT_TRUE(task.given());
    ASSERT_EQ(late.given(), WakeToken::none);  // and it does not run yet
    ASSERT_TRUE(task.op.woken(*task.given()));
    ASSERT_TRUE(next.enqueue());
    until_handoff_is_due();

    int unlocks = 0;
    do {
        lock.unlock();
        ++unlocks;
    } while (lock.try_lock());

    EXPECT_EQ(next.given(), WakeToken::handed_off);
    EXPECT_LE(unlocks, 4);
}

}  // namespace
