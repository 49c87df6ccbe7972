// SPDX-License-Identifier: MIT
// [fifo] In which order a strict lock serves threads and tasks, step by step on one thread.
#include <deque>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/lock_waiter.hpp"
#include "support/waiting.hpp"

namespace {

using futon::AsyncLock;
using futon::Fairness;
using futon::core::WakeToken;
using futon::test::LockWaiter;
using futon::test::waiting_at;
using Kind = LockWaiter::Kind;

constexpr int a_loop = 1;

/// A lock that is held at the beginning. What is checked holds however late this thread is: a task may take its offer for as long
/// as no other has.
class StrictLock : public testing::Test {
protected:
    StrictLock() { lock.lock(); }

    LockWaiter& queued(Kind kind) {
        LockWaiter& waiter = waiters_.emplace_back(lock, kind, kind == Kind::task ? &a_loop : nullptr);
        EXPECT_TRUE(waiter.enqueue());
        return waiter;
    }

    /// The lock is offered to the first task, which takes it, and the thread behind is woken to watch.
    void pass_to(LockWaiter& first, LockWaiter& thread) {
        lock.unlock();
        ASSERT_EQ(thread.given(), WakeToken::none);
        ASSERT_TRUE(takes(first));
    }

    /// A task takes its offer. Nothing else can, before the threshold.
    static bool takes(LockWaiter& task) { return task.given() && task.op.woken(*task.given()); }

    AsyncLock lock{Fairness::strict};

private:
    std::deque<LockWaiter> waiters_;
};

TEST_F(StrictLock, AThreadThatIsWokenToWatchDoesNotOvertakeTheTasksBeforeIt) {
    LockWaiter& first = queued(Kind::task);
    LockWaiter& second = queued(Kind::task);
    LockWaiter& thread = queued(Kind::thread);
    ASSERT_NO_FATAL_FAILURE(pass_to(first, thread));
    lock.unlock();  // and the thread does not run yet
    thread.op.woken(WakeToken::none);

    EXPECT_FALSE(thread.op.try_now());
    EXPECT_FALSE(thread.op.try_spinning());
    ASSERT_TRUE(thread.enqueue_again());
    thread.wait();

    EXPECT_EQ(thread.given(), std::nullopt);
    EXPECT_TRUE(takes(second));
    lock.unlock();
    EXPECT_EQ(thread.given(), WakeToken::handed_off);
}

TEST_F(StrictLock, IsLeftToAThreadThatIsWokenToWatchBeforeThoseBehindIt) {
    LockWaiter& task = queued(Kind::task);
    LockWaiter& thread = queued(Kind::thread);
    LockWaiter& later_task = queued(Kind::task);
    LockWaiter& later_thread = queued(Kind::thread);
    ASSERT_NO_FATAL_FAILURE(pass_to(task, thread));

    lock.unlock();

    EXPECT_EQ(later_task.given(), std::nullopt);
    EXPECT_EQ(later_thread.given(), std::nullopt);
    EXPECT_FALSE(lock.try_lock());
    ASSERT_TRUE(thread.enqueue_again());
    thread.wait();
    EXPECT_EQ(thread.given(), WakeToken::handed_off);
    lock.unlock();
    EXPECT_TRUE(takes(later_task));
}

TEST_F(StrictLock, AThreadThatIsWokenToWatchTakesALockWithoutAQueue) {
    LockWaiter& task = queued(Kind::task);
    LockWaiter& thread = queued(Kind::thread);
    ASSERT_NO_FATAL_FAILURE(pass_to(task, thread));
    lock.unlock();

    thread.op.woken(WakeToken::none);

    EXPECT_TRUE(thread.op.try_now());
    EXPECT_FALSE(lock.try_lock());
}

TEST_F(StrictLock, AThreadThatGivesUpWhileItIsOnItsWayPassesTheLockToTheFirst) {
    LockWaiter& first = queued(Kind::task);
    LockWaiter& second = queued(Kind::task);
    LockWaiter& thread = queued(Kind::thread);
    ASSERT_NO_FATAL_FAILURE(pass_to(first, thread));
    lock.unlock();

    thread.op.give_back(WakeToken::none);

    EXPECT_TRUE(takes(second));
}

TEST_F(StrictLock, AThreadThatLeavesBeforeItHasPassedTheLockOnDoesSoThen) {
    LockWaiter& first = queued(Kind::task);
    LockWaiter& second = queued(Kind::task);
    LockWaiter& thread = queued(Kind::thread);
    ASSERT_NO_FATAL_FAILURE(pass_to(first, thread));
    lock.unlock();
    ASSERT_TRUE(thread.enqueue_again());

    ASSERT_TRUE(futon::core::process_table().dequeue(thread, futon::WaitResult::cancelled));
    thread.op.left();  // a select that has chosen something else

    EXPECT_TRUE(takes(second));
}

TEST_F(StrictLock, AThreadComesBackToItsPlaceAmongVeryManyTasks) {
    std::deque<LockWaiter*> before;
    for (int i = 0; i < 200; ++i) before.push_back(&queued(Kind::task));
    LockWaiter& thread = queued(Kind::thread);
    std::deque<LockWaiter*> behind;
    for (int i = 0; i < 200; ++i) behind.push_back(&queued(Kind::task));
    ASSERT_NO_FATAL_FAILURE(pass_to(*before.front(), thread));
    ASSERT_TRUE(thread.enqueue_again());

    for (std::size_t i = 1; i < before.size(); ++i) {
        lock.unlock();
        ASSERT_TRUE(takes(*before[i])) << i;
        if (thread.given() == WakeToken::none) {  // it had been woken to watch
            ASSERT_TRUE(thread.enqueue_again());
        }
    }
    lock.unlock();

    EXPECT_EQ(thread.given(), WakeToken::handed_off);
    EXPECT_EQ(waiting_at(lock), behind.size());
}

}  // namespace
