// SPDX-License-Identifier: MIT
// What an unlock gives to which thread, step by step on one thread. Of tasks the model has tests, whose clock stands still.
#include <mutex>
#include <system_error>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/lock_waiter.hpp"
#include "support/waiting.hpp"

namespace {

using futon::AsyncLock;
using futon::Fairness;
using futon::core::WakeToken;
using futon::test::LockWaiter;
using futon::test::until_handoff_is_due;
using Kind = LockWaiter::Kind;

/// Locks, as it stands, that are held at the beginning.
class LockQueue : public testing::TestWithParam<Fairness> {
protected:
    LockQueue() { EXPECT_TRUE(lock.try_lock()); }

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

/// A thread is woken and does not run yet, and a passer-by takes the lock.
void wake_in_vain(LockWaiter& thread, AsyncLock& lock) {
    do {
        ASSERT_TRUE(thread.enqueue());
        lock.unlock();
    } while (thread.given() == WakeToken::handed_off);  // the test was held up: the lock is the thread's, so it is held
    ASSERT_EQ(thread.given(), WakeToken::none);
    ASSERT_TRUE(lock.try_lock());
}

TEST(BoundedLockQueue, UnlockFairHandsTheLockOffPastAThreadThatIsOnItsWay) {
    AsyncLock lock;
    ASSERT_TRUE(lock.try_lock());
    LockWaiter woken(lock, Kind::thread);
    wake_in_vain(woken, lock);
    LockWaiter next(lock, Kind::thread);
    ASSERT_TRUE(next.enqueue());

    lock.unlock_fair();

    EXPECT_EQ(next.given(), WakeToken::handed_off);
}

TEST(BoundedLockQueue, IsHandedOffPastAThreadThatIsLate) {
    AsyncLock lock;
    ASSERT_TRUE(lock.try_lock());
    LockWaiter late(lock, Kind::thread);
    wake_in_vain(late, lock);
    LockWaiter next(lock, Kind::thread);
    ASSERT_TRUE(next.enqueue());
    until_handoff_is_due();
    until_handoff_is_due();  // one more, for the thread that is on its way

    int unlocks = 0;
    do {
        lock.unlock();
        ++unlocks;
    } while (lock.try_lock());

    EXPECT_EQ(next.given(), WakeToken::handed_off);
    EXPECT_LE(unlocks, 4);
}
}  // namespace
