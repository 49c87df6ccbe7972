// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/manual_strand.hpp"
#include "support/queue_executor.hpp"
#include "support/small_table.hpp"
#include "support/tokens.hpp"
#include "support/wait_subjects.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::await_on;
using futon::Deadline;
using futon::Executor;
using futon::WaitResult;
using futon::test::ManualStrand;
using futon::test::OwnedCoroutine;
using futon::test::QueueExecutor;
using futon::test::SmallTable;
using futon::test::Tokens;
using futon::test::until_after;
using futon::test::waiting_at;

/// Locks and unlocks; `result` is how the acquisition ended.
OwnedCoroutine lock_on(Executor& executor, AsyncLock& lock, std::optional<WaitResult>& result,
                       futon::Limits limits = {}) {
    const AsyncLock::Guard guard = co_await await_on(executor, lock.locking(), limits);
    EXPECT_EQ(guard.owns_lock(), guard.result() == WaitResult::ok);
    result = guard.result();
}

/// Does an operation that yields a WaitResult.
template <class Op>
OwnedCoroutine do_on(Executor& executor, Op op, std::optional<WaitResult>& result, futon::Limits limits = {}) {
    const WaitResult seen = co_await await_on(executor, std::move(op), limits);
    result = seen;
}

/// What an exception says that leaves the await; nothing if none does.
template <class Exception, class Op>
OwnedCoroutine expect_throws(Executor& executor, Op op, bool& has_thrown, futon::Limits limits = {}) {
    try {
        co_await await_on(executor, std::move(op), limits);
    } catch (const Exception&) {
        has_thrown = true;
    }
}

TEST(AwaitOn, NeedsNoJobWhereItNeedNotWait) {
    QueueExecutor executor;
    AsyncLock lock;
    std::optional<WaitResult> result;

    const OwnedCoroutine coroutine = lock_on(executor, lock, result);

    EXPECT_EQ(result, WaitResult::ok);
    EXPECT_EQ(executor.run_all(), 0u);
    EXPECT_TRUE(lock.try_lock());
}

TEST(AwaitOn, GoesOnByAJobOfItsExecutorOnWhicheverThreadRunsIt) {
    QueueExecutor executor;
    AsyncLock lock;
    lock.lock();
    std::optional<WaitResult> result;
    std::thread::id thread_of_job;
    auto lock_and_note = [&]() -> OwnedCoroutine {
        const AsyncLock::Guard guard = co_await await_on(executor, lock.locking());
        result = guard.result();
        thread_of_job = std::this_thread::get_id();
    };
    const OwnedCoroutine coroutine = lock_and_note();
    EXPECT_EQ(waiting_at(lock), 1u);

    lock.unlock();
    EXPECT_FALSE(result);
    std::thread other([&] { EXPECT_EQ(executor.run_all(), 1u); });
    const std::thread::id id = other.get_id();
    other.join();

    EXPECT_EQ(result, WaitResult::ok);
    EXPECT_EQ(thread_of_job, id);
    EXPECT_TRUE(lock.try_lock());
}

TEST(AwaitOn, AwaitsOneAfterTheOtherInOneQueueWithThreads) {
    ManualStrand strand;
    AsyncLock lock;
    lock.lock();
    std::optional<WaitResult> first;
    std::optional<WaitResult> second;
    const OwnedCoroutine a = lock_on(strand, lock, first);
    std::jthread thread([&] {
        lock.lock();
        lock.unlock();
    });
    futon::test::until_waiting(lock, 2);
    const OwnedCoroutine b = lock_on(strand, lock, second);

    lock.unlock();
    futon::test::until([&] {
        strand.run_all();
        return first && second;
    });

    EXPECT_EQ(first, WaitResult::ok);
    EXPECT_EQ(second, WaitResult::ok);
    EXPECT_EQ(strand.pending, 0);
}

TEST(AwaitOn, IsEnqueuedAgainWhenWokenInVain) {
    ManualStrand strand;
    Tokens tokens;
    std::optional<WaitResult> result;
    const OwnedCoroutine coroutine = do_on(strand, Tokens::Take(tokens), result, 1h);

    tokens.wake_in_vain();
    strand.run_all();
    EXPECT_FALSE(result);
    EXPECT_EQ(tokens.vain_wakes, 1);
    EXPECT_EQ(strand.pending, 1);
    EXPECT_EQ(strand.armed, 1);

    tokens.release();
    strand.run_all();
    EXPECT_EQ(result, WaitResult::ok);
    EXPECT_EQ(strand.pending, 0);
    EXPECT_EQ(strand.armed, 0);
}

TEST(AwaitOn, YieldsWhatTheOperationYields) {
    QueueExecutor executor;
    futon::Channel<int> channel(1);
    int received = 0;
    auto receive = [&]() -> OwnedCoroutine {
        const auto item = co_await await_on(executor, channel.receiving());
        received = *item;
    };
    const OwnedCoroutine coroutine = receive();

    EXPECT_TRUE(channel.send(7));
    executor.run_all();

    EXPECT_EQ(received, 7);
}

template <class Subject>
class AwaitOnEach : public testing::Test {};
using AwaitOnSubjects = testing::Types<futon::test::AnEvent, futon::test::AnAutoResetEvent, futon::test::ALatch,
                                       futon::test::APhase, futon::test::APermit>;
TYPED_TEST_SUITE(AwaitOnEach, AwaitOnSubjects);

TYPED_TEST(AwaitOnEach, Passes) {
    QueueExecutor executor;
    TypeParam subject;
    std::optional<WaitResult> result;
    const OwnedCoroutine coroutine = do_on(executor, subject.waiting(), result);
    EXPECT_EQ(waiting_at(subject), 1u);

    subject.let_pass(1);
    executor.run_all();

    EXPECT_EQ(result, WaitResult::ok);
    EXPECT_EQ(waiting_at(subject), 0u);
}

TEST(AwaitOn, IsCancelledByAStopOfAnyThread) {
    ManualStrand strand;
    AsyncLock lock;
    lock.lock();
    std::stop_source stop;
    std::optional<WaitResult> result;
    const OwnedCoroutine coroutine = lock_on(strand, lock, result, stop.get_token());

    std::thread([&] { stop.request_stop(); }).join();
    EXPECT_FALSE(result);
    strand.run_all();

    EXPECT_EQ(result, WaitResult::cancelled);
    EXPECT_EQ(waiting_at(lock), 0u);
    EXPECT_EQ(strand.pending, 0);
}

TEST(AwaitOn, IsCancelledAtOnceByAStopThatCameBefore) {
    QueueExecutor executor;
    AsyncLock lock;
    lock.lock();
    std::stop_source stop;
    stop.request_stop();
    std::optional<WaitResult> result;

    const OwnedCoroutine coroutine = lock_on(executor, lock, result, stop.get_token());

    EXPECT_EQ(result, WaitResult::cancelled);
}

TEST(AwaitOn, TimesOutByTheTimersOfItsExecutor) {
    ManualStrand strand;
    AsyncLock lock;
    lock.lock();
    const auto deadline = std::chrono::steady_clock::now() + 1h;
    std::optional<WaitResult> result;
    const OwnedCoroutine coroutine = lock_on(strand, lock, result, deadline);

    strand.advance(deadline - 1s);
    strand.run_all();
    EXPECT_FALSE(result);
    strand.advance(deadline + 1s);
    strand.run_all();

    EXPECT_EQ(result, WaitResult::timed_out);
    EXPECT_EQ(waiting_at(lock), 0u);
}

TEST(AwaitOn, ADeadlineNeedsTimers) {
    QueueExecutor executor;
    Tokens tokens(1);
    bool has_thrown = false;

    const OwnedCoroutine coroutine = expect_throws<futon::NoExecutor>(executor, Tokens::Take(tokens), has_thrown, 1h);

    EXPECT_TRUE(has_thrown);
    EXPECT_EQ(tokens.available(), 1);
}

TEST(AwaitOn, ThrowsWhereTheTableIsFull) {
    ManualStrand strand;
    SmallTable table(0);
    Tokens tokens(0, table);
    bool has_thrown = false;

    const OwnedCoroutine coroutine = expect_throws<std::system_error>(strand, Tokens::Take(tokens), has_thrown, 1h);

    EXPECT_TRUE(has_thrown);
    EXPECT_EQ(strand.pending, 0);
    EXPECT_EQ(strand.armed, 0);
}

TEST(AwaitOn, ThrowsForAnOperationThatWasUsed) {
    QueueExecutor executor;
    Tokens tokens(1);
    bool has_thrown = false;

    const OwnedCoroutine coroutine = expect_throws<std::logic_error>(executor, futon::test::used(tokens), has_thrown);

    EXPECT_TRUE(has_thrown);
}

TEST(AwaitOn, PassesTheLockOnWhereItsJobIsDiscarded) {
    QueueExecutor other;
    AsyncLock lock;
    lock.lock();
    std::optional<WaitResult> first;
    std::optional<WaitResult> second;
    std::optional<ManualStrand> strand(std::in_place);
    const OwnedCoroutine a = lock_on(*strand, lock, first);
    const OwnedCoroutine b = lock_on(other, lock, second);
    lock.unlock();

    EXPECT_EQ(strand->discard_all(), 1u);
    EXPECT_EQ(first, WaitResult::cancelled);
    EXPECT_EQ(strand->pending, 0);
    strand.reset();
    other.run_all();

    EXPECT_EQ(second, WaitResult::ok);
    EXPECT_TRUE(lock.try_lock());
}

TEST(AwaitOn, LeavesItsQueueWhenDestroyed) {
    ManualStrand strand;
    AsyncLock lock;
    lock.lock();
    std::stop_source stop;
    std::optional<WaitResult> result;
    OwnedCoroutine coroutine = lock_on(strand, lock, result, {1h, stop.get_token()});

    coroutine.destroy();

    EXPECT_EQ(waiting_at(lock), 0u);
    EXPECT_EQ(strand.pending, 0);
    EXPECT_EQ(strand.armed, 0);
    stop.request_stop();
    lock.unlock();
    EXPECT_EQ(strand.run_all(), 0u);
    EXPECT_FALSE(result);
}

TEST(AwaitOn, PassesItsWakeOnWhenDestroyed) {
    ManualStrand strand;
    AsyncLock lock;
    lock.lock();
    std::optional<WaitResult> first;
    std::optional<WaitResult> second;
    OwnedCoroutine a = lock_on(strand, lock, first);
    const OwnedCoroutine b = lock_on(strand, lock, second);
    lock.unlock();

    a.destroy();
    strand.run_all();

    EXPECT_FALSE(first);
    EXPECT_EQ(second, WaitResult::ok);
    EXPECT_TRUE(lock.try_lock());
    EXPECT_EQ(strand.pending, 0);
}

TEST(AwaitOn, KeepsALoopRunning) {
    futon::EventLoop loop;
    AsyncLock lock;
    EXPECT_TRUE(lock.try_lock());
    std::optional<WaitResult> result;
    const OwnedCoroutine coroutine = lock_on(loop, lock, result, 1h);
    std::jthread thread([&] { lock.unlock(); });

    loop.run();

    EXPECT_EQ(result, WaitResult::ok);
}

TEST(AwaitOnDeathTest, DestroyingACoroutineWhoseWakeAnExecutorKeepsAborts) {
    const auto misuse = [] {
        QueueExecutor executor;
        AsyncLock lock;
        lock.lock();
        std::optional<WaitResult> result;
        OwnedCoroutine coroutine = lock_on(executor, lock, result);
        lock.unlock();
        coroutine.destroy();
    };

    EXPECT_DEATH(misuse(), "broken rule: a wait must not be destroyed while its wake-up is under way");
}

}  // namespace
