// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <utility>

#include <futon/futon.hpp>
#include <futon/select.hpp>

#include "support/gtest.hpp"
#include "support/queue_executor.hpp"
#include "support/tokens.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Agent;
using futon::Deadline;
using futon::EventLoop;
using futon::Promise;
using futon::select;
using futon::select_async;
using futon::timeout;
using futon::test::QueueExecutor;
using futon::test::Tokens;
using futon::test::waiting_at;

TEST(SelectMisuse, ThrowsForAnOperationThatWasUsedAndDoesNothing) {
    Tokens tokens(1);

    EXPECT_THROW(static_cast<void>(select(Tokens::Take(tokens), used(tokens))), std::logic_error);

    EXPECT_EQ(tokens.available(), 1);
}

TEST(SelectMisuse, ThrowsOnAnAgentThatMayNotBlockBeforeItTries) {
    const futon::Agent agent(futon::CanBlock::no);
    Tokens tokens(1);

    EXPECT_THROW(static_cast<void>(select(Tokens::Take(tokens))), futon::BlockingForbidden);

    EXPECT_EQ(tokens.available(), 1);
}

/// Whether a select of `choices` throws `Error` when it is awaited.
template <class Error, class... Choices>
bool throws(Choices... choices) {
    bool has_thrown = false;
    const auto attempt = [&]() -> Promise<void> {
        try {
            static_cast<void>(co_await select_async(std::move(choices)...));
        } catch (const Error&) {
            has_thrown = true;
        }
    };
    const auto promise = attempt();
    return has_thrown;
}

TEST(SelectAsyncMisuse, AnOperationThatWasUsedThrowsAndNothingIsDone) {
    const EventLoop loop;
    Tokens tokens(1);

    EXPECT_TRUE(throws<std::logic_error>(Tokens::Take(tokens), used(tokens)));

    EXPECT_EQ(tokens.available(), 1);
}

TEST(SelectAsyncMisuse, AThreadWithoutAnExecutorThrowsAndNothingIsDone) {
    Tokens tokens(1);

    EXPECT_TRUE(throws<futon::NoExecutor>(Tokens::Take(tokens)));

    EXPECT_EQ(tokens.available(), 1);
}

TEST(SelectAsyncMisuse, ADeadlineWhereNoTimersAreKeptThrowsAndNothingIsDone) {
    QueueExecutor queue;
    const Agent agent(queue);
    Tokens tokens(1);

    EXPECT_TRUE(throws<futon::NoExecutor>(Tokens::Take(tokens), timeout(1h)));

    EXPECT_EQ(tokens.available(), 1);
}

TEST(SelectAsyncMisuse, NoDeadlineNeedsNoTimers) {
    QueueExecutor queue;
    const Agent agent(queue);
    Tokens tokens(1);

    EXPECT_FALSE(throws<futon::NoExecutor>(Tokens::Take(tokens), timeout(Deadline::never())));

    EXPECT_EQ(tokens.available(), 0);
}

using Selecting = decltype(select_async(std::declval<Tokens::Take>(), std::declval<Tokens::Take>()));

Promise<std::size_t> await_shared(Selecting& selecting) {
    const auto chosen = co_await selecting;
    co_return chosen.index();
}

TEST(SelectAsyncMisuse, ASecondCoroutineThatAwaitsTheSameThrows) {
    EventLoop loop;
    Tokens one;
    Tokens other;
    auto selecting = select_async(Tokens::Take(one), Tokens::Take(other));
    auto first = await_shared(selecting);

    EXPECT_THROW(loop.run_until(await_shared(selecting)), std::logic_error);

    other.release();
    EXPECT_EQ(loop.run_until(first), 1u);
}

/// An agent whose executor cannot retract a job.
class SelectOnAQueue : public testing::Test {
protected:
    Promise<std::size_t> select_tokens() {
        const auto chosen = co_await select_async(Tokens::Take(one), Tokens::Take(other));
        co_return chosen.index();
    }

    Tokens one;
    Tokens other;
    QueueExecutor queue;
    std::optional<Agent> agent{std::in_place, queue};
};

TEST_F(SelectOnAQueue, GoesOnWhenItIsWoken) {
    const auto promise = select_tokens();

    one.release();
    queue.run_all();

    EXPECT_TRUE(promise.is_settled());
}

TEST_F(SelectOnAQueue, GivesBackWhatWasHandedOffWhenItsAgentHasEnded) {
    const auto promise = select_tokens();
    other.hand_off();

    agent.reset();
    queue.run_all();

    EXPECT_EQ(other.given_back, 1);
    EXPECT_EQ(waiting_at(one) + waiting_at(other), 0u);
}

TEST_F(SelectOnAQueue, LeavesItsQueuesWhenItsAgentEnds) {
    const auto promise = select_tokens();

    agent.reset();

    EXPECT_EQ(waiting_at(one) + waiting_at(other), 0u);
}

}  // namespace
