// SPDX-License-Identifier: MIT
#include <chrono>
#include <stop_token>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/queue_executor.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using futon::AsyncLock;
using futon::Deadline;
using futon::EventLoop;
using futon::Limits;
using futon::Promise;
using futon::WaitResult;
using futon::test::until_after;
using futon::test::until_handoff_is_due;
using futon::test::waiting_at;

/// Locks and unlocks; returns how the acquisition ended.
Promise<WaitResult> attempt(AsyncLock& lock, Limits limits = {}) {
    const AsyncLock::Guard guard = co_await lock.scoped_lock_async(limits);
    EXPECT_EQ(guard.owns_lock(), guard.result() == WaitResult::ok);
    co_return guard.result();
}

TEST(ScopedLockAsync, AcquiresAtOnceWhenUnlocked) {
    EventLoop loop;
    AsyncLock lock;

    auto promise = attempt(lock);

    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(ScopedLockAsync, AcquiresOnceUnlocked) {
    EventLoop loop;
    AsyncLock lock;
    lock.try_lock();

    auto promise = attempt(lock);
    const bool settled_at_once = promise.is_settled();
    lock.unlock();

    EXPECT_FALSE(settled_at_once);
    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(ScopedLockAsync, UnlocksAtTheEndOfTheGuardsScope) {
    EventLoop loop;
    AsyncLock lock;

    loop.run_until(attempt(lock));

    EXPECT_TRUE(lock.try_lock());
}

TEST(ScopedLockAsync, KeepsTheLoopRunningWhileQueued) {
    EventLoop loop;
    AsyncLock lock;
    lock.try_lock();
    const auto promise = attempt(lock);
    const std::jthread owner([&] { lock.unlock(); });

    loop.run();

    EXPECT_TRUE(promise.is_settled());
}

TEST(ScopedLockAsync, TimesOutNoEarlierThanItsDeadline) {
    EventLoop loop;
    AsyncLock lock;
    lock.try_lock();
    const auto begin = Clock::now();

    const WaitResult result = loop.run_until(attempt(lock, 3ms));

    EXPECT_EQ(result, WaitResult::timed_out);
    EXPECT_GE(Clock::now() - begin, 3ms);
    EXPECT_EQ(waiting_at(lock), 0u);
}

TEST(ScopedLockAsync, TimesOutAtOnceWhenHeldAtAPassedDeadline) {
    EventLoop loop;
    AsyncLock lock;
    lock.try_lock();

    auto promise = attempt(lock, 0ms);

    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(loop.run_until(promise), WaitResult::timed_out);
}

TEST(ScopedLockAsync, AcquiresAnUnlockedLockAtAPassedDeadline) {
    EventLoop loop;
    AsyncLock lock;

    EXPECT_EQ(loop.run_until(attempt(lock, 0ms)), WaitResult::ok);
}

TEST(ScopedLockAsync, IsCancelledByItsStopToken) {
    EventLoop loop;
    AsyncLock lock;
    std::stop_source source;
    lock.try_lock();
    auto promise = attempt(lock, source.get_token());

    source.request_stop();

    EXPECT_EQ(waiting_at(lock), 0u);
    EXPECT_EQ(loop.run_until(promise), WaitResult::cancelled);
}

TEST(ScopedLockAsync, IsCancelledAtOnceWhenHeldAndStopWasRequestedBefore) {
    EventLoop loop;
    AsyncLock lock;
    std::stop_source source;
    source.request_stop();
    lock.try_lock();

    auto promise = attempt(lock, source.get_token());

    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(loop.run_until(promise), WaitResult::cancelled);
}

TEST(ScopedLockAsync, IsCancelledFromAnotherThread) {
    EventLoop loop;
    AsyncLock lock;
    std::stop_source source;
    lock.try_lock();
    auto promise = attempt(lock, source.get_token());
    const std::jthread canceller([&] { source.request_stop(); });

    EXPECT_EQ(loop.run_until(promise), WaitResult::cancelled);
}

TEST(ScopedLockAsync, AcquiresWhenWokenBeforeTheStopRequest) {
    EventLoop loop;
    AsyncLock lock;
    std::stop_source source;
    lock.try_lock();
    auto promise = attempt(lock, source.get_token());

    lock.unlock();
    source.request_stop();

    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(ScopedLockAsync, AcquiresWhenWokenBeforeTheDeadline) {
    EventLoop loop;
    AsyncLock lock;
    lock.try_lock();
    auto deadline = Clock::now() + 50ms;
    auto promise = attempt(lock, deadline);
    while (promise.is_settled()) promise = attempt(lock, deadline = Clock::now() + 50ms);  // this machine was slow

    lock.unlock();
    until_after(deadline);

    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(ScopedLockAsync, ATimedOutWaiterIsSkippedByUnlock) {
    EventLoop loop;
    AsyncLock lock;
    lock.try_lock();
    auto timed_out = attempt(lock, 1ms);
    auto untimed = attempt(lock);
    EXPECT_EQ(loop.run_until(timed_out), WaitResult::timed_out);

    lock.unlock();

    EXPECT_EQ(loop.run_until(untimed), WaitResult::ok);
}

TEST(ScopedLockAsync, TimesOutWhenWokenLateAndTheLockWasBarged) {
    EventLoop loop;
    AsyncLock lock;
    const auto deadline = Clock::now() + 5ms;
    lock.try_lock();
    auto slow = attempt(lock, deadline);
    lock.unlock();
    if (!lock.try_lock()) GTEST_SKIP() << "the handoff threshold had passed on this slow machine";
    until_after(deadline);

    const WaitResult result = loop.run_until(slow);

    EXPECT_EQ(result, WaitResult::timed_out);
    EXPECT_EQ(waiting_at(lock), 0u);
}

TEST(ScopedLockAsync, IsQueuedAgainWhenTheLockWasBarged) {
    EventLoop loop;
    AsyncLock lock;
    lock.try_lock();
    auto promise = attempt(lock);
    lock.unlock();
    if (!lock.try_lock()) GTEST_SKIP() << "the handoff threshold had passed on this slow machine";

    loop.poll();
    const std::size_t waiting = waiting_at(lock);
    lock.unlock();

    EXPECT_EQ(waiting, 1u);
    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(ScopedLockAsync, IsOfferedTheLockForTheHandoffThresholdOnceThatHasPassed) {
    EventLoop loop;
    AsyncLock lock;
    lock.try_lock();
    auto promise = attempt(lock);
    until_handoff_is_due();

    const auto begin = Clock::now();
    lock.unlock();
    const bool has_overtaken = lock.try_lock();
    const bool is_early = Clock::now() - begin < AsyncLock::handoff_threshold;
    if (has_overtaken) lock.unlock();

    EXPECT_FALSE(has_overtaken && is_early);
    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
    EXPECT_TRUE(lock.try_lock());
}

TEST(ScopedLockAsync, LosesAnOfferThatHasExpired) {
    EventLoop loop;
    AsyncLock lock;
    lock.try_lock();
    auto promise = attempt(lock);
    until_handoff_is_due();
    lock.unlock();

    futon::test::until([&] { return lock.try_lock(); });
    loop.poll();
    EXPECT_EQ(waiting_at(lock), 1u);  // queued again
    lock.unlock();

    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(ScopedLockAsync, KeepsALockThatWasHandedOffBeforeTheStopRequest) {
    EventLoop loop;
    AsyncLock lock;
    std::stop_source source;
    lock.try_lock();
    auto promise = attempt(lock, source.get_token());
    until_handoff_is_due();

    lock.unlock();
    source.request_stop();

    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
    EXPECT_TRUE(lock.try_lock());
}

TEST(ScopedLockAsync, ThrowsNoExecutorWhenItHasToWaitWithoutOne) {
    AsyncLock lock;
    lock.lock();
    bool threw = false;
    const auto locking = [&]() -> Promise<void> {
        try {
            static_cast<void>(co_await lock.scoped_lock_async());
        } catch (const futon::NoExecutor&) {
            threw = true;
        }
    };

    const auto promise = locking();

    EXPECT_TRUE(threw);
}

TEST(ScopedLockAsync, ThrowsNoExecutorForADeadlineWithoutTimers) {
    futon::test::QueueExecutor queue;
    const futon::Agent agent(queue);
    AsyncLock lock;
    lock.try_lock();
    bool threw = false;
    const auto locking = [&]() -> Promise<void> {
        try {
            static_cast<void>(co_await lock.scoped_lock_async(1h));
        } catch (const futon::NoExecutor&) {
            threw = true;
        }
    };

    const auto promise = locking();

    EXPECT_TRUE(threw);
    EXPECT_EQ(waiting_at(lock), 0u);
}

}  // namespace
