// SPDX-License-Identifier: MIT
#include <chrono>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <utility>

#include <futon/futon.hpp>

#include "support/gtest.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::WaitResult;
using Guard = futon::AsyncLock::Guard;

TEST(AsyncLockGuard, UnlocksAtTheEndOfItsScope) {
    AsyncLock lock;
    lock.lock();

    { const Guard guard(lock, std::adopt_lock); }

    EXPECT_TRUE(lock.try_lock());
}

TEST(AsyncLockGuard, UnlocksOnRequest) {
    AsyncLock lock;
    lock.lock();
    Guard guard(lock, std::adopt_lock);

    guard.unlock();

    EXPECT_FALSE(guard.owns_lock());
    EXPECT_TRUE(lock.try_lock());
}

TEST(AsyncLockGuard, UnlockThrowsTheSecondTime) {
    AsyncLock lock;
    lock.lock();
    Guard guard(lock, std::adopt_lock);
    guard.unlock();

    try {
        guard.unlock();
        FAIL() << "unlock() did not throw";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::operation_not_permitted);
    }
}

TEST(AsyncLockGuard, ResultSaysWhyItOwnsNoLock) {
    const Guard guard(WaitResult::timed_out);

    EXPECT_FALSE(guard);
    EXPECT_EQ(guard.result(), WaitResult::timed_out);
}

TEST(AsyncLockGuard, UnlockThrowsWhenItOwnsNoLock) {
    Guard guard(WaitResult::cancelled);

    EXPECT_THROW(guard.unlock(), std::system_error);
}

TEST(AsyncLockGuard, TransfersItsLockWhenMoved) {
    AsyncLock lock;
    lock.lock();
    Guard first(lock, std::adopt_lock);

    {
        const Guard second(std::move(first));
        EXPECT_TRUE(second.owns_lock());
        EXPECT_FALSE(lock.try_lock());
    }

    EXPECT_TRUE(lock.try_lock());
}

TEST(AsyncLockGuard, OwnsNoLockOnceMovedFrom) {
    AsyncLock lock;
    lock.lock();
    Guard first(lock, std::adopt_lock);

    const Guard second(std::move(first));

    EXPECT_FALSE(first.owns_lock());  // NOLINT(bugprone-use-after-move)
}

TEST(AsyncLockGuard, OwnsTheLockOfAnAssignedGuard) {
    AsyncLock lock;
    lock.lock();
    Guard guard(WaitResult::timed_out);

    guard = Guard(lock, std::adopt_lock);

    EXPECT_TRUE(guard.owns_lock());
    EXPECT_EQ(guard.result(), WaitResult::ok);
    EXPECT_FALSE(lock.try_lock());
}

TEST(AsyncLockGuard, UnlocksItsOldLockWhenAnotherGuardIsAssigned) {
    AsyncLock first;
    AsyncLock second;
    first.lock();
    second.lock();
    Guard guard(first, std::adopt_lock);

    guard = Guard(second, std::adopt_lock);

    EXPECT_TRUE(first.try_lock());
    EXPECT_FALSE(second.try_lock());
}

TEST(AsyncLockGuard, OfABlockingThreadOwnsTheLockOrSaysWhyNot) {
    AsyncLock lock;
    {
        const auto guard = lock.scoped_lock(1h);
        EXPECT_TRUE(guard.owns_lock());
        EXPECT_FALSE(lock.try_lock());
        EXPECT_EQ(lock.scoped_lock(1ms).result(), WaitResult::timed_out);
        EXPECT_EQ(lock.lock(1ms), WaitResult::timed_out);
        std::stop_source stopped;
        stopped.request_stop();
        EXPECT_EQ(lock.scoped_lock(stopped.get_token()).result(), WaitResult::cancelled);
        EXPECT_EQ(lock.scoped_lock({1h, stopped.get_token()}).result(), WaitResult::cancelled);
    }
    EXPECT_EQ(lock.lock(0ms), WaitResult::ok);
    lock.unlock();
}

}  // namespace
