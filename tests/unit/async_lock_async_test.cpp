// SPDX-License-Identifier: MIT
#include <chrono>
#include <stop_token>

#include <gtest/gtest.h>

#include <futon/futon.hpp>

#include "support/queue_executor.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using futon::AsyncLock;
using futon::Deadline;
using futon::EventLoop;
using futon::Promise;
using futon::WaitResult;
using futon::test::until_after;
using futon::test::waiting_at;

/// Tries to lock, and lets go at once.
Promise<WaitResult> attempt(AsyncLock& lock, Deadline deadline = Deadline::never(), std::stop_token stop = {}) {
    const AsyncLock::Guard guard = co_await lock.scoped_lock_async(deadline, stop);
    EXPECT_EQ(guard.owns_lock(), guard.result() == WaitResult::ok);
    co_return guard.result();
}

TEST(LockAsync, LocksAtOnceIfFree) {
    EventLoop loop;
    AsyncLock lock;

    auto promise = attempt(lock);

    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(LockAsync, LocksLaterIfHeld) {
    EventLoop loop;
    AsyncLock lock;
    lock.try_lock();

    auto promise = attempt(lock);
    const bool settled_at_once = promise.is_settled();
    lock.unlock();

    EXPECT_FALSE(settled_at_once);
    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(LockAsync, SetsTheLockFreeAtTheEndOfTheGuardsScope) {
    EventLoop loop;
    AsyncLock lock;

    loop.run_until(attempt(lock));

    EXPECT_TRUE(lock.try_lock());
}

TEST(LockAsync, KeepsTheLoopRunning) {
    EventLoop loop;
    AsyncLock lock;
    lock.try_lock();
    const auto promise = attempt(lock);
    const std::jthread owner([&] { lock.unlock(); });

    loop.run();

    EXPECT_TRUE(promise.is_settled());
}

TEST(LockAsync, TimesOutAndNotEarly) {
    EventLoop loop;
    AsyncLock lock;
    lock.try_lock();
    const auto begin = Clock::now();

    const WaitResult result = loop.run_until(attempt(lock, 3ms));

    EXPECT_EQ(result, WaitResult::timed_out);
    EXPECT_GE(Clock::now() - begin, 3ms);
    EXPECT_EQ(waiting_at(lock), 0u);
}

TEST(LockAsync, TimesOutAtOnceWhenDueAndHeld) {
    EventLoop loop;
    AsyncLock lock;
    lock.try_lock();

    auto promise = attempt(lock, 0ms);

    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(loop.run_until(promise), WaitResult::timed_out);
}

TEST(LockAsync, LocksWhenDueButFree) {
    EventLoop loop;
    AsyncLock lock;

    EXPECT_EQ(loop.run_until(attempt(lock, 0ms)), WaitResult::ok);
}

TEST(LockAsync, IsCancelledByItsStopToken) {
    EventLoop loop;
    AsyncLock lock;
    std::stop_source source;
    lock.try_lock();
    auto promise = attempt(lock, Deadline::never(), source.get_token());

    source.request_stop();

    EXPECT_EQ(waiting_at(lock), 0u);
    EXPECT_EQ(loop.run_until(promise), WaitResult::cancelled);
}

TEST(LockAsync, IsCancelledAtOnceWhenStoppedBeforeAndHeld) {
    EventLoop loop;
    AsyncLock lock;
    std::stop_source source;
    source.request_stop();
    lock.try_lock();

    auto promise = attempt(lock, Deadline::never(), source.get_token());

    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(loop.run_until(promise), WaitResult::cancelled);
}

TEST(LockAsync, IsCancelledFromAnotherThread) {
    EventLoop loop;
    AsyncLock lock;
    std::stop_source source;
    lock.try_lock();
    auto promise = attempt(lock, Deadline::never(), source.get_token());
    const std::jthread canceller([&] { source.request_stop(); });

    EXPECT_EQ(loop.run_until(promise), WaitResult::cancelled);
}

TEST(LockAsync, ReportsAWakeThatCameBeforeTheStopAsOk) {
    EventLoop loop;
    AsyncLock lock;
    std::stop_source source;
    lock.try_lock();
    auto promise = attempt(lock, Deadline::never(), source.get_token());

    lock.unlock();
    source.request_stop();

    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(LockAsync, ReportsAWakeThatCameBeforeTheDeadlineAsOk) {
    EventLoop loop;
    AsyncLock lock;
    const auto moment = Clock::now() + 50ms;
    lock.try_lock();
    auto promise = attempt(lock, moment);

    lock.unlock();
    until_after(moment);

    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(LockAsync, ThatTimedOutIsPassedOver) {
    EventLoop loop;
    AsyncLock lock;
    lock.try_lock();
    auto impatient = attempt(lock, 1ms);
    auto patient = attempt(lock);
    EXPECT_EQ(loop.run_until(impatient), WaitResult::timed_out);

    lock.unlock();

    EXPECT_EQ(loop.run_until(patient), WaitResult::ok);
}

TEST(LockAsync, GivesUpWhenItsWakeComesTooLateAndAnotherWasQuicker) {
    EventLoop loop;
    AsyncLock lock;
    const auto moment = Clock::now() + 5ms;
    lock.try_lock();
    auto slow = attempt(lock, moment);
    lock.unlock();
    if (!lock.try_lock()) GTEST_SKIP() << "this machine was so slow that the lock was handed over";
    until_after(moment);

    const WaitResult result = loop.run_until(slow);

    EXPECT_EQ(result, WaitResult::timed_out);
    EXPECT_EQ(waiting_at(lock), 0u);
}

TEST(LockAsync, StandsInLineAgainWhenAnotherWasQuicker) {
    EventLoop loop;
    AsyncLock lock;
    lock.try_lock();
    auto promise = attempt(lock);
    lock.unlock();
    if (!lock.try_lock()) GTEST_SKIP() << "this machine was so slow that the lock was handed over";

    loop.poll();
    const std::size_t waiting = waiting_at(lock);
    lock.unlock();

    EXPECT_EQ(waiting, 1u);
    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(LockAsync, IsHandedTheLockOnceItsPatienceIsOver) {
    EventLoop loop;
    AsyncLock lock;
    lock.try_lock();
    auto promise = attempt(lock);
    until_after(Clock::now() + AsyncLock::handoff_threshold);

    lock.unlock();

    EXPECT_FALSE(lock.try_lock());
    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
    EXPECT_TRUE(lock.try_lock());
}

TEST(LockAsync, ReportsALockThatWasHandedOverBeforeTheStopAsOk) {
    EventLoop loop;
    AsyncLock lock;
    std::stop_source source;
    lock.try_lock();
    auto promise = attempt(lock, Deadline::never(), source.get_token());
    until_after(Clock::now() + AsyncLock::handoff_threshold);

    lock.unlock();
    source.request_stop();

    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
    EXPECT_TRUE(lock.try_lock());
}

TEST(LockAsync, NeedsAnExecutorWhereItHasToWait) {
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

TEST(LockAsync, NeedsTimersForADeadline) {
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
