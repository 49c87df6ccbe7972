// SPDX-License-Identifier: MIT
#include <optional>
#include <thread>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/held_lock.hpp"
#include "support/queue_executor.hpp"
#include "support/waiting.hpp"
#include "support/waiting_coroutines.hpp"

namespace {

using futon::Agent;
using futon::AsyncLock;
using futon::WaitResult;
using futon::test::lock_owned;
using futon::test::OwnedCoroutine;
using futon::test::QueueExecutor;
using futon::test::until_handoff_is_due;
using futon::test::waiting_at;

/// A coroutine of another library that locks, and that ends or loses its loop first.
class ForeignCoroutineLock : public futon::test::HeldLock {
protected:
    std::optional<WaitResult> result;
};

TEST_F(ForeignCoroutineLock, GetsAGuardWithoutTheLockWhenTheLoopEnds) {
    const OwnedCoroutine coroutine = lock_owned(lock, result);

    loop.reset();

    EXPECT_EQ(result, WaitResult::cancelled);
    EXPECT_TRUE(coroutine.is_done());
    EXPECT_EQ(waiting_at(lock), 0u);
}

TEST_F(ForeignCoroutineLock, PassesItsWakeToTheNextThreadWhenTheLoopEnds) {
    const OwnedCoroutine coroutine = lock_owned(lock, result);
    std::jthread next = block_thread();
    lock.unlock();

    loop.reset();
    next.join();

    EXPECT_EQ(result, WaitResult::cancelled);
    EXPECT_TRUE(lock.try_lock());
}

TEST_F(ForeignCoroutineLock, PassesALockThatWasHandedOffToTheNextThreadWhenTheLoopEnds) {
    const OwnedCoroutine coroutine = lock_owned(lock, result);
    until_handoff_is_due();
    std::jthread next = block_thread();
    lock.unlock();

    loop.reset();
    next.join();

    EXPECT_EQ(result, WaitResult::cancelled);
    EXPECT_TRUE(lock.try_lock());
}

TEST_F(ForeignCoroutineLock, PassesItsWakeToTheNextThreadWhenDestroyed) {
    OwnedCoroutine coroutine = lock_owned(lock, result);
    std::jthread next = block_thread();
    lock.unlock();

    coroutine.destroy();
    next.join();

    EXPECT_FALSE(result.has_value());
    EXPECT_TRUE(lock.try_lock());
}

TEST_F(ForeignCoroutineLock, PassesALockThatWasHandedOffToTheNextThreadWhenDestroyed) {
    OwnedCoroutine coroutine = lock_owned(lock, result);
    until_handoff_is_due();
    std::jthread next = block_thread();
    lock.unlock();

    coroutine.destroy();
    next.join();

    EXPECT_FALSE(result.has_value());
    EXPECT_TRUE(lock.try_lock());
}

/// The same for an agent that is no loop.
class ForeignCoroutineLockOfAnAgent : public testing::Test {
protected:
    ForeignCoroutineLockOfAnAgent() { lock.try_lock(); }

    QueueExecutor queue;
    std::optional<Agent> agent{std::in_place, queue};
    AsyncLock lock;
    std::optional<WaitResult> result;
};

TEST_F(ForeignCoroutineLockOfAnAgent, GetsAGuardWithoutTheLockWhenTheAgentEnds) {
    const OwnedCoroutine coroutine = lock_owned(lock, result);

    agent.reset();

    EXPECT_EQ(result, WaitResult::cancelled);
    EXPECT_TRUE(coroutine.is_done());
}

TEST_F(ForeignCoroutineLockOfAnAgent, GetsAGuardWithoutTheLockWhenTheAgentEndsWithItsWakePosted) {
    const OwnedCoroutine coroutine = lock_owned(lock, result);
    lock.unlock();

    agent.reset();
    queue.run_all();

    EXPECT_EQ(result, WaitResult::cancelled);
    EXPECT_TRUE(coroutine.is_done());
    EXPECT_TRUE(lock.try_lock());
}

}  // namespace
