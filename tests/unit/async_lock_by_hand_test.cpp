// SPDX-License-Identifier: MIT
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/held_lock.hpp"
#include "support/waiting.hpp"

namespace {

using futon::AsyncLock;
using futon::EventLoop;
using futon::Promise;
using futon::WaitResult;
using futon::test::OwnedCoroutine;
using futon::test::until_handoff_is_due;
using futon::test::waiting_at;
using Guard = futon::AsyncLock::Guard;

/// A coroutine that locks and unlocks by hand.
class AsyncLockByHand : public futon::test::HeldLock {
protected:
    Promise<void> acquire() {
        co_await lock.lock_async();
        ++acquired;
    }

    OwnedCoroutine acquire_owned() {
        try {
            co_await lock.lock_async();
            ++acquired;
        } catch (const std::system_error& caught) {
            error = caught.code();
        }
    }

    int acquired = 0;
    std::error_code error;
};

TEST_F(AsyncLockByHand, TakesAFreeLockAtOnceAndKeepsIt) {
    lock.unlock();

    const auto promise = acquire();

    EXPECT_TRUE(promise.is_settled());
    EXPECT_FALSE(lock.try_lock());
}

TEST_F(AsyncLockByHand, IsReleasedByAnUnlock) {
    lock.unlock();
    const auto promise = acquire();

    lock.unlock();

    EXPECT_TRUE(lock.try_lock());
}

TEST_F(AsyncLockByHand, GetsTheLockLaterAndKeepsIt) {
    auto promise = acquire();

    lock.unlock();
    EXPECT_EQ(acquired, 0);
    loop->run_until(promise);

    EXPECT_EQ(acquired, 1);
    EXPECT_FALSE(lock.try_lock());
}

TEST_F(AsyncLockByHand, WakesTheNextWhenItUnlocks) {
    auto first = acquire();
    std::jthread next = block_thread();
    lock.unlock();
    loop->run_until(first);

    lock.unlock();
    next.join();

    EXPECT_TRUE(lock.try_lock());
}

TEST_F(AsyncLockByHand, OfAForeignCoroutineThrowsWhenItsAgentEnds) {
    const OwnedCoroutine coroutine = acquire_owned();

    loop.reset();

    EXPECT_EQ(error, std::errc::operation_canceled);
    EXPECT_EQ(acquired, 0);
    EXPECT_TRUE(coroutine.is_done());
}

TEST_F(AsyncLockByHand, OfAForeignCoroutineIsNotOwnedWhenItsAgentEndsAfterAHandoff) {
    const OwnedCoroutine coroutine = acquire_owned();
    until_handoff_is_due();
    lock.unlock();

    loop.reset();

    EXPECT_EQ(error, std::errc::operation_canceled);
    EXPECT_TRUE(lock.try_lock());
}

TEST_F(AsyncLockByHand, OfAForeignCoroutineThrowsNoExecutorOnAPlainThreadAlsoIfItIsFree) {
    lock.unlock();
    loop.reset();
    bool has_thrown = false;
    const auto misuse = [&]() -> OwnedCoroutine {
        try {
            co_await lock.lock_async();
        } catch (const futon::NoExecutor&) {
            has_thrown = true;
        }
    };

    misuse();

    EXPECT_TRUE(has_thrown);
    EXPECT_TRUE(lock.try_lock());
}

TEST_F(AsyncLockByHand, ScopedThrowsNoExecutorOnAPlainThreadAlsoIfItIsFree) {
    lock.unlock();
    loop.reset();
    bool has_thrown = false;
    const auto misuse = [&]() -> OwnedCoroutine {
        try {
            const Guard guard = co_await lock.scoped_lock_async();
        } catch (const futon::NoExecutor&) {
            has_thrown = true;
        }
    };

    misuse();

    EXPECT_TRUE(has_thrown);
    EXPECT_TRUE(lock.try_lock());
}

TEST_F(AsyncLockByHand, ExecuteLockedThrowsNoExecutorOnAPlainThreadAlsoIfItIsFree) {
    lock.unlock();
    loop.reset();

    EXPECT_THROW(static_cast<void>(lock.execute_locked([] {})), futon::NoExecutor);

    EXPECT_TRUE(lock.try_lock());
}

TEST(AsyncLockGuardRelease, ReturnsTheLockAndLeavesItLocked) {
    AsyncLock lock;
    lock.lock();
    AsyncLock* released = nullptr;

    {
        Guard guard(lock, std::adopt_lock);
        released = guard.release();
        EXPECT_FALSE(guard.owns_lock());
    }

    EXPECT_EQ(released, &lock);
    EXPECT_FALSE(lock.try_lock());
}

TEST(AsyncLockGuardRelease, ReturnsNullOfAGuardThatOwnsNothing) {
    Guard guard(WaitResult::timed_out);

    EXPECT_EQ(guard.release(), nullptr);
}

TEST(AsyncLockGuardRelease, UnlockThrowsAfterIt) {
    AsyncLock lock;
    lock.lock();
    Guard guard(lock, std::adopt_lock);
    guard.release();

    EXPECT_THROW(guard.unlock(), std::system_error);
}

TEST(AsyncLockGuardRelease, AnAssignmentAfterItUnlocksNothing) {
    AsyncLock lock;
    lock.lock();
    Guard guard(lock, std::adopt_lock);
    guard.release();

    guard = Guard(WaitResult::cancelled);

    EXPECT_EQ(guard.result(), WaitResult::cancelled);
    EXPECT_FALSE(lock.try_lock());
}

TEST(AsyncLockGuardRelease, ASelfAssignmentKeepsTheLock) {
    AsyncLock lock;
    lock.lock();
    Guard guard(lock, std::adopt_lock);
    Guard& same = guard;

    guard = std::move(same);

    EXPECT_TRUE(guard.owns_lock());
    EXPECT_FALSE(lock.try_lock());
}

TEST(AsyncLockGuardRelease, AnAssignedGuardThatOwnsNothingUnlocksWhatThisOwned) {
    AsyncLock lock;
    lock.lock();
    Guard guard(lock, std::adopt_lock);

    guard = Guard(WaitResult::timed_out);

    EXPECT_FALSE(guard.owns_lock());
    EXPECT_TRUE(lock.try_lock());
}

}  // namespace
