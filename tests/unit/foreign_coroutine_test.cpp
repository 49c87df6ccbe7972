// SPDX-License-Identifier: MIT
#include <atomic>
#include <optional>
#include <stdexcept>
#include <utility>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/queue_executor.hpp"
#include "support/waiting.hpp"

namespace {

using futon::Agent;
using futon::EventLoop;
using futon::notify;
using futon::Promise;
using futon::wait_async;
using futon::WaitResult;
using futon::test::DestructionCounter;
using futon::test::OwnedCoroutine;
using futon::test::QueueExecutor;
using futon::test::waiting_at;

/// How an await of a coroutine ended.
enum class Outcome { pending, fulfilled, broken, no_executor };

/// What is recorded of one coroutine.
struct Record {
    Outcome outcome = Outcome::pending;
    int destroyed = 0;
};

/// Awaits what `make_awaitable` returns.
template <class MakeAwaitable>
OwnedCoroutine await_recorded(MakeAwaitable make_awaitable, Record& record) {
    const DestructionCounter local(record.destroyed);
    try {
        co_await make_awaitable();
        record.outcome = Outcome::fulfilled;
    } catch (const futon::NoExecutor&) {
        record.outcome = Outcome::no_executor;
    } catch (const std::logic_error&) {
        record.outcome = Outcome::broken;
    }
}

OwnedCoroutine await_word(std::atomic<int>& cell, Record& record) {
    return await_recorded([&cell] { return wait_async(cell, 0); }, record);
}

OwnedCoroutine await_promise(const Promise<WaitResult>& promise, Record& record) {
    return await_recorded(
        [&promise]() -> const auto& { return promise; }, record);
}

OwnedCoroutine await_coroutine(std::atomic<int>& cell, Record& record) {
    return await_recorded([&cell]() -> Promise<void> { co_await wait_async(cell, 0); }, record);
}

/// Waits again after each failure, until there is no executor.
OwnedCoroutine wait_repeatedly(std::atomic<int>& cell, Record& record) {
    while (record.outcome != Outcome::no_executor) {
        try {
            co_await wait_async(cell, 0);
        } catch (const futon::NoExecutor&) {
            record.outcome = Outcome::no_executor;
        } catch (const std::logic_error&) {
            record.outcome = Outcome::broken;
        }
    }
}

/// A coroutine of another library, and a loop that ends while the coroutine awaits.
class ForeignCoroutine : public testing::Test {
protected:
    std::optional<EventLoop> loop{std::in_place};
    std::atomic<int> cell{0};
    Record record;
};

TEST_F(ForeignCoroutine, ThrowsFromAWaitWhenTheLoopEnds) {
    const OwnedCoroutine coroutine = await_word(cell, record);

    loop.reset();

    EXPECT_EQ(record.outcome, Outcome::broken);
    EXPECT_TRUE(coroutine.is_done());
    EXPECT_EQ(waiting_at(cell), 0u);
}

TEST_F(ForeignCoroutine, ThrowsFromAnAwaitedPromiseWhenTheLoopEnds) {
    const auto promise = wait_async(cell, 0).promise();
    const OwnedCoroutine coroutine = await_promise(promise, record);

    loop.reset();

    EXPECT_EQ(record.outcome, Outcome::broken);
    EXPECT_TRUE(coroutine.is_done());
}

TEST_F(ForeignCoroutine, ThrowsFromAnAwaitedCoroutineWhenTheLoopEnds) {
    const OwnedCoroutine coroutine = await_coroutine(cell, record);

    loop.reset();

    EXPECT_EQ(record.outcome, Outcome::broken);
    EXPECT_TRUE(coroutine.is_done());
}

TEST_F(ForeignCoroutine, ThrowsFromAWaitWhenTheLoopEndsWithItsWakePosted) {
    const OwnedCoroutine coroutine = await_word(cell, record);
    EXPECT_EQ(notify(cell), 1u);

    loop.reset();

    EXPECT_EQ(record.outcome, Outcome::broken);
    EXPECT_TRUE(coroutine.is_done());
}

TEST_F(ForeignCoroutine, GetsTheValueOfASettledPromiseWhenTheLoopEndsBeforeItsResumption) {
    const auto promise = wait_async(cell, 0).promise();
    const OwnedCoroutine coroutine = await_promise(promise, record);
    notify(cell);
    loop->poll();
    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(record.outcome, Outcome::pending);

    loop.reset();

    EXPECT_EQ(record.outcome, Outcome::fulfilled);
}

TEST_F(ForeignCoroutine, IsDestroyedByItsOwnerOnly) {
    Record waiting;
    Record woken;
    {
        std::atomic<int> other{0};
        const OwnedCoroutine first = await_word(cell, waiting);
        const OwnedCoroutine second = await_word(other, woken);
        notify(other);

        loop.reset();
    }

    EXPECT_EQ(waiting.destroyed, 1);
    EXPECT_EQ(woken.destroyed, 1);
}

TEST_F(ForeignCoroutine, BeginsNoWaitWhileTheLoopEnds) {
    const OwnedCoroutine coroutine = wait_repeatedly(cell, record);

    loop.reset();

    EXPECT_EQ(record.outcome, Outcome::no_executor);
    EXPECT_TRUE(coroutine.is_done());
    EXPECT_EQ(waiting_at(cell), 0u);
}

TEST_F(ForeignCoroutine, MayDestroyAnotherWhileTheLoopEnds) {
    std::optional<OwnedCoroutine> other(await_word(cell, record));
    const auto destroying = [](std::atomic<int>& word, std::optional<OwnedCoroutine>& target) -> OwnedCoroutine {
        try {
            co_await wait_async(word, 0);
        } catch (const std::logic_error&) {
            target.reset();
        }
    };
    const OwnedCoroutine destroyer = destroying(cell, other);

    loop.reset();

    EXPECT_TRUE(destroyer.is_done());
    EXPECT_FALSE(other.has_value());
    EXPECT_EQ(record.destroyed, 1);
}

TEST_F(ForeignCoroutine, ThrowsWhenItsInnerLoopEndsAlthoughThePromiseBelongsToTheOuterOne) {
    auto promise = wait_async(cell, 0).promise();
    std::optional<EventLoop> inner(std::in_place);
    const OwnedCoroutine coroutine = await_promise(promise, record);

    inner.reset();
    const Outcome outcome = record.outcome;
    notify(cell);

    EXPECT_EQ(outcome, Outcome::broken);
    EXPECT_EQ(loop->run_until(promise), WaitResult::ok);
    EXPECT_TRUE(coroutine.is_done());
}

TEST(ForeignCoroutineOfAnAgent, ThrowsFromAWaitWhenItsAgentEnds) {
    QueueExecutor queue;
    std::optional<Agent> agent(std::in_place, queue);
    std::atomic<int> cell{0};
    Record record;
    const OwnedCoroutine coroutine = await_word(cell, record);

    agent.reset();

    EXPECT_EQ(record.outcome, Outcome::broken);
    EXPECT_TRUE(coroutine.is_done());
}

}  // namespace
