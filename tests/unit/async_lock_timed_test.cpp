// SPDX-License-Identifier: MIT
#include <chrono>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/held_lock.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using futon::Agent;
using futon::AsyncLock;
using futon::BlockingForbidden;
using futon::CanBlock;
using futon::Deadline;
using futon::WaitResult;
using futon::test::until_waiting;
using futon::test::waiting_at;

/// A lock that this thread holds; there is no loop, so that this thread may block.
class AsyncLockTimed : public futon::test::HeldLock {
protected:
    AsyncLockTimed() { loop.reset(); }
};

TEST_F(AsyncLockTimed, TryLockForTakesAFreeLock) {
    lock.unlock();

    EXPECT_TRUE(lock.try_lock_for(1h));

    EXPECT_FALSE(lock.try_lock());
}

TEST_F(AsyncLockTimed, TryLockForTakesAFreeLockEvenForNoTime) {
    lock.unlock();

    EXPECT_TRUE(lock.try_lock_for(0ms));
}

TEST_F(AsyncLockTimed, TryLockForReturnsFalseNotBeforeItsTime) {
    const auto begin = Clock::now();

    EXPECT_FALSE(lock.try_lock_for(2ms));

    EXPECT_GE(Clock::now() - begin, 2ms);
}

TEST_F(AsyncLockTimed, TryLockUntilReturnsFalseNotBeforeItsDeadline) {
    const auto deadline = Clock::now() + 2ms;

    EXPECT_FALSE(lock.try_lock_until(deadline));

    EXPECT_GE(Clock::now(), deadline);
}

TEST_F(AsyncLockTimed, LeavesNoWaiterBehindWhenItsDeadlineComes) {
    EXPECT_FALSE(lock.try_lock_for(2ms));

    EXPECT_EQ(waiting_at(lock), 0u);
    lock.unlock();
    EXPECT_TRUE(lock.try_lock());
}

TEST_F(AsyncLockTimed, AWaiterThatGaveUpTakesNoWakeUpFromTheNext) {
    std::jthread impatient([&](const std::stop_token& stop) { EXPECT_EQ(lock.lock(stop), WaitResult::cancelled); });
    until_waiting(lock, 1);
    std::jthread next = block_thread();
    impatient.request_stop();
    impatient.join();

    lock.unlock();
    next.join();

    EXPECT_TRUE(lock.try_lock());
}

TEST_F(AsyncLockTimed, TryLockForGetsALockThatIsReleasedInTime) {
    std::jthread thread([&] {
        EXPECT_TRUE(lock.try_lock_for(1h));
        lock.unlock();
    });
    until_waiting(lock, 1);

    lock.unlock();
    thread.join();

    EXPECT_TRUE(lock.try_lock());
}

TEST_F(AsyncLockTimed, WorksWithUniqueLockForATime) {
    std::unique_lock late(lock, 1ms);
    EXPECT_FALSE(late.owns_lock());

    lock.unlock();
    const std::unique_lock hold(lock, 1h);

    EXPECT_TRUE(hold.owns_lock());
}

TEST_F(AsyncLockTimed, WorksWithUniqueLockUntilATimePoint) {
    const std::unique_lock hold(lock, Clock::now() + 1ms);

    EXPECT_FALSE(hold.owns_lock());
}

TEST_F(AsyncLockTimed, WorksWithTheMembersOfUniqueLock) {
    std::unique_lock hold(lock, std::defer_lock);
    EXPECT_FALSE(hold.try_lock_for(1ms));
    lock.unlock();

    EXPECT_TRUE(hold.try_lock_until(Clock::now() + 1h));
}

TEST_F(AsyncLockTimed, AHandoffThatComesBeforeTheDeadlineCounts) {
    std::jthread thread([&] {
        EXPECT_EQ(lock.lock(Deadline(1h)), WaitResult::ok);
        lock.unlock();
    });
    until_waiting(lock, 1);
    futon::test::until_handoff_is_due();

    lock.unlock();
}

TEST_F(AsyncLockTimed, LockIsCancelledByAStop) {
    std::optional<WaitResult> result;
    std::jthread thread([&](const std::stop_token& stop) { result = lock.lock(stop); });
    until_waiting(lock, 1);

    thread.request_stop();
    thread.join();

    EXPECT_EQ(result, WaitResult::cancelled);
    EXPECT_EQ(waiting_at(lock), 0u);
}

TEST_F(AsyncLockTimed, LockIsCancelledAtOnceByAStopThatWasRequested) {
    std::stop_source stop;
    stop.request_stop();

    EXPECT_EQ(lock.lock(stop.get_token()), WaitResult::cancelled);
}

TEST_F(AsyncLockTimed, LockTakesAFreeLockEvenIfAStopWasRequested) {
    std::stop_source stop;
    stop.request_stop();
    lock.unlock();

    EXPECT_EQ(lock.lock(stop.get_token()), WaitResult::ok);
}

TEST_F(AsyncLockTimed, LockWithAStopTokenThatNeverStopsWaits) {
    std::jthread thread([&] {
        EXPECT_EQ(lock.lock(std::stop_token()), WaitResult::ok);
        lock.unlock();
    });
    until_waiting(lock, 1);

    lock.unlock();
    thread.join();

    EXPECT_TRUE(lock.try_lock());
}

TEST_F(AsyncLockTimed, LockSaysWhichLimitEndedIt) {
    std::stop_source stop;

    EXPECT_EQ(lock.lock({1ms, stop.get_token()}), WaitResult::timed_out);
    stop.request_stop();
    EXPECT_EQ(lock.lock({1ms, stop.get_token()}), WaitResult::cancelled);
}

TEST_F(AsyncLockTimed, AStrictLockTimesOutToo) {
    AsyncLock strict(futon::Fairness::strict);
    ASSERT_TRUE(strict.try_lock());

    EXPECT_FALSE(strict.try_lock_for(1ms));

    EXPECT_EQ(waiting_at(strict), 0u);
    strict.unlock();
    EXPECT_TRUE(strict.try_lock());
}

/// On an agent that may not block.
class AsyncLockTimedForbidden : public testing::Test {
protected:
    const Agent agent{CanBlock::no};
    AsyncLock lock;  // free: it is not looked at
};

TEST_F(AsyncLockTimedForbidden, TryLockForThrows) {
    EXPECT_THROW(static_cast<void>(lock.try_lock_for(0ms)), BlockingForbidden);
    EXPECT_TRUE(lock.try_lock());
}

TEST_F(AsyncLockTimedForbidden, TryLockUntilThrows) {
    EXPECT_THROW(static_cast<void>(lock.try_lock_until(Clock::now())), BlockingForbidden);
    EXPECT_TRUE(lock.try_lock());
}

TEST_F(AsyncLockTimedForbidden, LockWithADeadlineAndAStopTokenThrows) {
    EXPECT_THROW(static_cast<void>(lock.lock({Clock::now(), {}})), BlockingForbidden);
    EXPECT_TRUE(lock.try_lock());
}

TEST_F(AsyncLockTimedForbidden, LockWithAStopTokenThrows) {
    EXPECT_THROW(static_cast<void>(lock.lock(std::stop_token())), BlockingForbidden);
    EXPECT_TRUE(lock.try_lock());
}

TEST(AsyncLock, TryLockUntilReturnsAtOnceForATimePointFarInThePast) {
    AsyncLock lock;
    lock.lock();

    EXPECT_FALSE(lock.try_lock_until(std::chrono::system_clock::time_point::min()));
    EXPECT_FALSE(lock.try_lock_until(std::chrono::time_point<std::chrono::steady_clock, std::chrono::hours>::min()));
}

TEST(AsyncLock, TryLockUntilTakesTimePointsOfOtherClocksAndUnits) {
    AsyncLock lock;
    std::unique_lock by_wall_clock(lock, std::chrono::system_clock::now() + 1h);
    EXPECT_TRUE(by_wall_clock.owns_lock());

    const std::unique_lock coarse(
        lock, std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now()) + 1ms);
    EXPECT_FALSE(coarse.owns_lock());
}

}  // namespace
