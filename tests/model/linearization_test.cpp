// SPDX-License-Identifier: MIT
// That the search tells histories that the specification allows from those that it forbids. Each test of a forbidden
// one has a twin beside it that differs in what is wrong, and is allowed.

#include <futon/atomics.hpp>

#include "linearizability/linearization.hpp"
#include "linearizability/written.hpp"
#include "support/gtest.hpp"

namespace {

using futon::everyone;
using futon::WaitResult;
using futon::test::Call;
using futon::test::DeadlineKind;
using futon::test::Kind;
using futon::test::Written;

constexpr int A = 0;
constexpr int B = 1;
constexpr int C = 2;

Call store(int value) {
    return {.kind = Kind::store, .operand = value};
}
Call load() {
    return {.kind = Kind::load};
}
Call notify(std::size_t count) {
    return {.kind = Kind::notify, .count = count};
}
Call wait(int expected, DeadlineKind deadline = DeadlineKind::never) {
    return {.kind = Kind::wait, .operand = expected, .deadline = deadline};
}
Call wait_async(int expected, DeadlineKind deadline = DeadlineKind::never) {
    return {.kind = Kind::wait_async, .operand = expected, .deadline = deadline};
}
Call wait_with_stop(int expected) {
    return {.kind = Kind::wait, .operand = expected, .has_stop = true};
}

Call wait_async_with_stop(int expected) {
    return {.kind = Kind::wait_async, .operand = expected, .has_stop = true};
}

constexpr Call request_stop{.kind = Kind::request_stop};
constexpr Call lock{.kind = Kind::lock};
constexpr Call try_lock{.kind = Kind::try_lock};
constexpr Call unlock{.kind = Kind::unlock};
constexpr Call scoped_lock_async{.kind = Kind::scoped_lock_async, .deadline = DeadlineKind::soon};

TEST(ModelLinearizability, AcceptsAWaitThatANotifyEnds) {
    Written history;
    const auto waiting = history.begin(A, wait(0));
    history.whole(B, notify(1), 1);
    history.end(waiting, WaitResult::ok);

    EXPECT_TRUE(history.is_linearizable());
}

TEST(ModelLinearizability, AcceptsANotifyBeforeTheWaiterIsEnqueued) {
    Written history;
    const auto waiting = history.begin(A, wait(0));
    history.whole(B, notify(1), 0);
    history.whole(B, notify(1), 1);
    history.end(waiting, WaitResult::ok);

    EXPECT_TRUE(history.is_linearizable());
}

TEST(ModelLinearizability, RejectsALostWakeUp) {
    Written history;
    const auto waiting = history.promised(A, wait_async(0));
    history.whole(B, notify(1), 0);
    history.whole(B, notify(1), 1);
    history.end(waiting, WaitResult::ok);

    EXPECT_FALSE(history.is_linearizable());
}

TEST(ModelLinearizability, AcceptsATimeoutBeforeTheNotify) {
    Written history;
    const auto waiting = history.promised(A, wait_async(0, DeadlineKind::soon));
    history.whole(B, notify(1), 0);
    history.end(waiting, WaitResult::timed_out);

    EXPECT_TRUE(history.is_linearizable());
}

TEST(ModelLinearizability, RejectsASleepThroughAStoreAndItsNotify) {
    Written history;
    const auto waiting = history.begin(A, wait(0, DeadlineKind::soon));
    history.whole(B, store(1));
    history.whole(B, notify(everyone), 0);
    history.whole(B, notify(everyone), 1);
    history.end(waiting, WaitResult::ok);

    EXPECT_FALSE(history.is_linearizable());
}

TEST(ModelLinearizability, RejectsAWakeThatWasCountedAndTimedOut) {
    Written history;
    const auto waiting = history.begin(A, wait(0, DeadlineKind::soon));
    history.whole(B, notify(1), 1);
    history.end(waiting, WaitResult::timed_out);

    EXPECT_FALSE(history.is_linearizable());
}

TEST(ModelLinearizability, RejectsAWakeOutOfOrder) {
    Written history;
    const auto first = history.promised(A, wait_async(0));
    const auto second = history.promised(B, wait_async(0));
    history.whole(C, notify(1), 1);
    history.end(second, WaitResult::ok);
    history.whole(C, notify(1), 1);
    history.end(first, WaitResult::ok);

    EXPECT_FALSE(history.is_linearizable());
}

TEST(ModelLinearizability, AcceptsEitherOrderOfTwoConcurrentEnqueues) {
    Written history;
    const auto first = history.begin(A, wait(0));
    const auto second = history.begin(B, wait(0));
    history.whole(C, notify(1), 1);
    history.end(second, WaitResult::ok);
    history.whole(C, notify(1), 1);
    history.end(first, WaitResult::ok);

    EXPECT_TRUE(history.is_linearizable());
}

TEST(ModelLinearizability, RejectsPromisesOfOneNotifyThatSettleOutOfOrder) {
    Written history;
    const auto first = history.promised(A, wait_async(0));
    const auto second = history.promised(A, wait_async(0));
    history.whole(B, notify(2), 2);
    history.end(second, WaitResult::ok);
    history.end(first, WaitResult::ok);

    EXPECT_FALSE(history.is_linearizable());
}

TEST(ModelLinearizability, AcceptsPromisesOfTwoLoopsThatSettleInAnyOrder) {
    Written history;
    const auto first = history.promised(A, wait_async(0));
    const auto second = history.promised(B, wait_async(0));
    history.whole(C, notify(2), 2);
    history.end(second, WaitResult::ok);
    history.end(first, WaitResult::ok);

    EXPECT_TRUE(history.is_linearizable());
}

TEST(ModelLinearizability, RejectsACountThatIsTooHigh) {
    Written history;
    const auto waiting = history.begin(A, wait(0));
    history.whole(B, notify(everyone), 2);
    history.end(waiting, WaitResult::ok);

    EXPECT_FALSE(history.is_linearizable());
}

TEST(ModelLinearizability, RejectsACountThatIsHigherThanWasAskedFor) {
    Written history;
    const auto first = history.begin(A, wait(0));
    const auto second = history.begin(B, wait(0));
    history.whole(C, notify(1), 2);
    history.end(first, WaitResult::ok);
    history.end(second, WaitResult::ok);

    EXPECT_FALSE(history.is_linearizable());
}

TEST(ModelLinearizability, RejectsAnOkWithoutANotify) {
    Written history;
    const auto waiting = history.begin(A, wait(0));
    history.whole(B, store(1));
    history.end(waiting, WaitResult::ok);

    EXPECT_FALSE(history.is_linearizable());
}

TEST(ModelLinearizability, RejectsAnOkBeforeItsNotify) {
    Written history;
    const auto waiting = history.begin(A, wait(0));
    history.end(waiting, WaitResult::ok);
    history.whole(B, notify(1), 1);

    EXPECT_FALSE(history.is_linearizable());
}

TEST(ModelLinearizability, RejectsNotEqualWhereItWasEqualThroughout) {
    Written history;
    history.whole(A, wait(0), WaitResult::not_equal);
    history.whole(B, store(1));

    EXPECT_FALSE(history.is_linearizable());
}

TEST(ModelLinearizability, AcceptsNotEqualWhereAStoreWasUnderWay) {
    Written history;
    const auto storing = history.begin(B, store(1));
    history.whole(A, wait(0), WaitResult::not_equal);
    history.end(storing);

    EXPECT_TRUE(history.is_linearizable());
}

TEST(ModelLinearizability, RejectsAnEnqueueWhereItWasNeverEqual) {
    Written history;
    history.whole(B, store(1));
    const auto waiting = history.begin(A, wait(0));
    history.whole(B, notify(1), 1);
    history.end(waiting, WaitResult::ok);

    EXPECT_FALSE(history.is_linearizable());
}

TEST(ModelLinearizability, RejectsATimeoutWithoutADeadline) {
    Written history;
    history.whole(A, wait(0), WaitResult::timed_out);

    EXPECT_FALSE(history.is_linearizable());
}

TEST(ModelLinearizability, RejectsAnEnqueueAfterTheDeadline) {
    Written history;
    const auto waiting = history.promised(A, wait_async(0, DeadlineKind::passed));
    history.end(waiting, WaitResult::timed_out);

    EXPECT_FALSE(history.is_linearizable());
}

TEST(ModelLinearizability, RejectsACancellationBeforeTheStop) {
    Written history;
    history.whole(A, wait_with_stop(0), WaitResult::cancelled);
    history.whole(B, request_stop, 1);

    EXPECT_FALSE(history.is_linearizable());
}

TEST(ModelLinearizability, AcceptsACancellationWhileTheStopIsUnderWay) {
    Written history;
    const auto stopping = history.begin(B, request_stop);
    history.whole(A, wait_with_stop(0), WaitResult::cancelled);
    history.end(stopping, 1);

    EXPECT_TRUE(history.is_linearizable());
}

TEST(ModelLinearizability, RejectsAnEnqueueAfterTheStop) {
    Written history;
    history.whole(B, request_stop, 1);
    const auto waiting = history.begin(A, wait_with_stop(0));
    history.whole(B, notify(1), 1);
    history.end(waiting, WaitResult::ok);

    EXPECT_FALSE(history.is_linearizable());
}

TEST(ModelLinearizability, RejectsAStopThatIsMissed) {
    Written history;
    const auto waiting = history.promised(A, wait_async_with_stop(0));
    history.whole(B, request_stop, 1);
    history.whole(B, notify(1), 1);
    history.end(waiting, WaitResult::ok);

    EXPECT_FALSE(history.is_linearizable());
}

TEST(ModelLinearizability, AcceptsANotifyWhileTheStopIsUnderWay) {
    Written history;
    const auto waiting = history.promised(A, wait_async_with_stop(0));
    const auto stopping = history.begin(B, request_stop);
    history.whole(C, notify(1), 1);
    history.end(stopping, 1);
    history.end(waiting, WaitResult::ok);

    EXPECT_TRUE(history.is_linearizable());
}

TEST(ModelLinearizability, RejectsTwoOwnersOfALock) {
    Written history;
    history.whole(A, lock);
    history.whole(B, lock);
    history.whole(A, unlock);
    history.whole(B, unlock);

    EXPECT_FALSE(history.is_linearizable());
}

TEST(ModelLinearizability, AcceptsALockThatWaitsForTheUnlock) {
    Written history;
    history.whole(A, lock);
    const auto locking = history.begin(B, lock);
    history.whole(A, unlock);
    history.end(locking);
    history.whole(B, unlock);

    EXPECT_TRUE(history.is_linearizable());
}

TEST(ModelLinearizability, RejectsATryLockThatFailsOnAFreeLock) {
    Written history;
    history.whole(A, lock);
    history.whole(A, unlock);
    history.whole(B, try_lock, 0);

    EXPECT_FALSE(history.is_linearizable());
}

TEST(ModelLinearizability, AcceptsATryLockThatFailsOnALockThatMayBeOfferedToATask) {
    Written history;
    history.whole(A, lock);
    const auto locking = history.promised(C, scoped_lock_async);
    history.whole(A, unlock);
    history.whole(B, try_lock, 0);
    history.end(locking, WaitResult::ok);

    EXPECT_TRUE(history.is_linearizable());
}

TEST(ModelLinearizability, RejectsALockAsyncThatTimesOutOnAFreeLock) {
    Written history;
    const auto locking = history.promised(A, scoped_lock_async);
    history.whole(B, lock);
    history.whole(B, unlock);
    history.end(locking, WaitResult::timed_out);

    EXPECT_FALSE(history.is_linearizable());
}

TEST(ModelLinearizability, AcceptsALockAsyncThatTimesOutOnAHeldLock) {
    Written history;
    history.whole(B, lock);
    const auto locking = history.promised(A, scoped_lock_async);
    history.whole(B, unlock);
    history.end(locking, WaitResult::timed_out);

    EXPECT_TRUE(history.is_linearizable());
}

TEST(ModelLinearizability, RejectsAValueThatWasNeverStored) {
    Written history;
    history.whole(A, store(1));
    history.whole(B, load(), 0);

    EXPECT_FALSE(history.is_linearizable());
}

TEST(ModelLinearizability, RejectsTwoReadersThatSeeTwoStoresInTwoOrders) {
    Written history;
    const auto storing = history.begin(A, store(1));
    history.whole(B, load(), 1);
    history.whole(C, load(), 0);
    history.end(storing);

    EXPECT_FALSE(history.is_linearizable());
}

TEST(ModelLinearizability, RejectsAnOperationThatDoesNotEnd) {
    Written history;
    history.begin(A, wait(0));

    EXPECT_FALSE(history.is_linearizable());
}

}  // namespace
