// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/promises.hpp"
#include "support/queue_executor.hpp"
#include "support/waiting.hpp"
#include "support/waiting_coroutines.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Agent;
using futon::CanBlock;
using futon::notify;
using futon::Promise;
using futon::wait_async;
using futon::WaitResult;
using futon::test::QueueExecutor;
using futon::test::wait_counted;
using futon::test::waiting_at;

TEST(Agent, OfAPlainThreadMayBlock) {
    EXPECT_TRUE(Agent::current().can_block());
}

TEST(Agent, OfAPlainThreadHasNoExecutor) {
    EXPECT_EQ(Agent::current().executor(), nullptr);
    EXPECT_THROW(Agent::current().require_executor(), futon::NoExecutor);
}

TEST(Agent, IsCurrentDuringItsLifetime) {
    const Agent& plain = Agent::current();

    {
        const Agent agent(CanBlock::no);
        EXPECT_EQ(&Agent::current(), &agent);
    }

    EXPECT_EQ(&Agent::current(), &plain);
}

TEST(Agent, NestsInScopes) {
    const Agent outer(CanBlock::no);
    {
        const Agent inner(CanBlock::yes);
        EXPECT_TRUE(Agent::current().can_block());
    }

    EXPECT_EQ(&Agent::current(), &outer);
}

TEST(Agent, IsCurrentOnItsOwnThreadOnly) {
    const Agent agent(CanBlock::no);
    const Agent* seen = nullptr;

    std::thread([&] { seen = &Agent::current(); }).join();

    EXPECT_NE(seen, &agent);
}

TEST(Agent, WithAnExecutorMayBlockOnlyWhenConstructedSo) {
    QueueExecutor queue;

    EXPECT_FALSE(Agent(queue).can_block());
    EXPECT_TRUE(Agent(queue, CanBlock::yes).can_block());
}

TEST(Agent, WithoutAnExecutorWaitAsyncThrows) {
    std::atomic<int> cell{0};

    EXPECT_THROW(static_cast<void>(wait_async(cell, 0)), futon::NoExecutor);

    EXPECT_EQ(waiting_at(cell), 0u);
}

TEST(Executor, SettlesItsAgentsWaits) {
    QueueExecutor queue;
    const Agent agent(queue);
    std::atomic<int> cell{0};
    const auto promise = wait_async(cell, 0).promise();

    notify(cell);
    const bool settled_in_notify = promise.is_settled();
    queue.run_all();

    EXPECT_FALSE(settled_in_notify);
    EXPECT_TRUE(promise.is_settled());
}

TEST(Executor, RunsCoroutines) {
    QueueExecutor queue;
    const Agent agent(queue);
    std::atomic<int> cell{0};
    WaitResult seen = WaitResult::not_equal;
    const auto waiting = [&]() -> Promise<void> { seen = co_await wait_async(cell, 0); };
    const auto promise = waiting();
    std::thread([&] { notify(cell); }).join();

    queue.run_all();

    EXPECT_EQ(seen, WaitResult::ok);
}

TEST(Executor, RunsLockedFunctions) {
    QueueExecutor queue;
    const Agent agent(queue);
    futon::AsyncLock lock;
    bool has_run = false;
    lock.try_lock();
    const auto promise = lock.execute_locked([&] { has_run = true; });

    lock.unlock();
    queue.run_all();

    EXPECT_TRUE(has_run);
    EXPECT_TRUE(lock.try_lock());
}

TEST(Executor, WithoutTimersWaitAsyncThrowsForADeadline) {
    QueueExecutor queue;
    const Agent agent(queue);
    std::atomic<int> cell{0};

    EXPECT_THROW(static_cast<void>(wait_async(cell, 0, 1h)), futon::NoExecutor);

    EXPECT_EQ(waiting_at(cell), 0u);
}

TEST(Executor, ReceivesUnobservedExceptions) {
    QueueExecutor queue;
    const Agent agent(queue);

    static_cast<void>(futon::test::rejected());

    EXPECT_EQ(queue.unhandled.size(), 1u);
}

TEST(Agent, DequeuesItsWaitersWhenItEnds) {
    QueueExecutor queue;
    std::optional<Agent> agent(std::in_place, queue);
    std::atomic<int> cell{0};
    int destroyed = 0;
    static_cast<void>(wait_counted(cell, destroyed));

    agent.reset();

    EXPECT_EQ(notify(cell), 0u);
    EXPECT_EQ(destroyed, 1);
}

TEST(Agent, MayEndWhileAWakeIsPosted) {
    QueueExecutor queue;
    std::optional<Agent> agent(std::in_place, queue);
    std::atomic<int> cell{0};
    int destroyed = 0;
    static_cast<void>(wait_counted(cell, destroyed));
    EXPECT_EQ(notify(cell), 1u);

    agent.reset();
    queue.run_all();

    EXPECT_EQ(destroyed, 1);
}

TEST(Agent, PassesItsPostedLockWakeOnWhenItEnds) {
    QueueExecutor queue;
    std::optional<Agent> agent(std::in_place, queue);
    futon::AsyncLock lock;
    bool has_run = false;
    lock.try_lock();
    const auto promise = lock.execute_locked([&] { has_run = true; });
    std::thread next([&] {
        lock.lock();
        lock.unlock();
    });
    futon::test::until_waiting(lock, 2);
    lock.unlock();

    agent.reset();
    queue.run_all();
    next.join();

    EXPECT_FALSE(has_run);
    EXPECT_TRUE(lock.try_lock());
}

TEST(Executor, MayEndWithAWakeThatHasNotRun) {
    std::atomic<int> cell{0};
    int destroyed = 0;
    {
        QueueExecutor queue;
        const Agent agent(queue);
        static_cast<void>(wait_counted(cell, destroyed));
        notify(cell);
    }

    EXPECT_EQ(destroyed, 1);
}

}  // namespace
