// SPDX-License-Identifier: MIT
#include <optional>
#include <stop_token>
#include <thread>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/held_lock.hpp"
#include "support/waiting.hpp"
#include "support/waiting_coroutines.hpp"

namespace {

using futon::AsyncLock;
using futon::Promise;
using futon::WaitResult;
using futon::test::lock_counted;
using futon::test::lock_owned;
using futon::test::OwnedCoroutine;
using futon::test::until_handoff_is_due;
using futon::test::waiting_at;

/// Acquisitions that end with their loop, or with the coroutine that awaits them.
class AsyncLockTeardown : public futon::test::HeldLock {
protected:
    int destroyed = 0;
};

TEST_F(AsyncLockTeardown, DestroyingALoopDequeuesItsWaiters) {
    const auto promise = lock_counted(lock, destroyed);

    loop.reset();

    EXPECT_EQ(waiting_at(lock), 0u);
    EXPECT_EQ(destroyed, 1);
}

TEST_F(AsyncLockTeardown, UnlockAfterTheOnlyWaiterEndedWithItsLoopLeavesTheLockUnlocked) {
    const auto promise = lock_counted(lock, destroyed);
    loop.reset();

    lock.unlock();

    EXPECT_TRUE(lock.try_lock());
}

TEST_F(AsyncLockTeardown, ExecuteLockedDoesNotRunAFunctionOfADestroyedLoop) {
    bool has_run = false;
    const auto promise = lock.execute_locked([&] { has_run = true; });

    loop.reset();
    lock.unlock();

    EXPECT_FALSE(has_run);
    EXPECT_TRUE(lock.try_lock());
}

TEST_F(AsyncLockTeardown, DestroyingALoopUnlocksWhatItsCoroutinesHold) {
    AsyncLock own;
    std::int32_t cell = 0;
    const futon::Word word(cell);
    const auto promise = own.execute_locked([&]() -> Promise<void> { co_await wait_async(word, 0); });
    EXPECT_FALSE(own.try_lock());

    loop.reset();

    EXPECT_TRUE(own.try_lock());
}

TEST_F(AsyncLockTeardown, ADestroyedLoopPassesItsWakeToTheNextThread) {
    const auto promise = lock_counted(lock, destroyed);
    std::jthread next = block_thread();

    lock.unlock();
    loop.reset();
    next.join();

    EXPECT_EQ(destroyed, 1);
    EXPECT_TRUE(lock.try_lock());
}

TEST_F(AsyncLockTeardown, ADestroyedLoopPassesALockThatWasHandedOffToTheNextThread) {
    const auto promise = lock_counted(lock, destroyed);
    until_handoff_is_due();
    std::jthread next = block_thread();

    lock.unlock();
    loop.reset();
    next.join();

    EXPECT_EQ(destroyed, 1);
    EXPECT_TRUE(lock.try_lock());
}

TEST_F(AsyncLockTeardown, UnlockWakesTheNextThreadAfterALoopEndedWithAPostedCancellation) {
    std::stop_source source;
    const auto locking = [&]() -> Promise<void> {
        const auto guard = co_await lock.scoped_lock_async(source.get_token());
    };
    const auto promise = locking();
    std::jthread next = block_thread();

    source.request_stop();
    loop.reset();
    lock.unlock();
    next.join();

    EXPECT_TRUE(lock.try_lock());
}

TEST_F(AsyncLockTeardown, DestroyingAQueuedCoroutineDequeuesIt) {
    std::optional<WaitResult> result;
    OwnedCoroutine first = lock_owned(lock, result);

    first.destroy();

    EXPECT_EQ(waiting_at(lock), 0u);
}

TEST_F(AsyncLockTeardown, ADestroyedCoroutinePassesItsWakeToTheNextWaiter) {
    std::optional<WaitResult> result;
    OwnedCoroutine first = lock_owned(lock, result);
    const auto next = lock_counted(lock, destroyed);

    lock.unlock();
    first.destroy();
    loop->poll();

    EXPECT_TRUE(next.is_settled());
}

TEST_F(AsyncLockTeardown, ADestroyedCoroutinePassesALockThatWasHandedOffToTheNextWaiter) {
    std::optional<WaitResult> result;
    OwnedCoroutine first = lock_owned(lock, result);
    until_handoff_is_due();
    const auto next = lock_counted(lock, destroyed);

    lock.unlock();
    first.destroy();
    loop->poll();

    EXPECT_TRUE(next.is_settled());
}

}  // namespace
