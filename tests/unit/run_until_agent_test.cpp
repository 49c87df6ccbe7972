// SPDX-License-Identifier: MIT
#include <atomic>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/queue_executor.hpp"

namespace {

using futon::Agent;
using futon::EventLoop;
using futon::notify;
using futon::wait_async;
using futon::WaitResult;

TEST(RunUntil, OfAnOuterLoopReturnsWhileAnInnerLoopIsCurrent) {
    EventLoop outer;
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0).promise();
    const EventLoop inner;
    notify(cell);

    EXPECT_EQ(outer.run_until(promise), WaitResult::ok);
}

TEST(RunUntil, ReturnsWhileAnAgentOfAnotherExecutorIsCurrent) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0).promise();
    futon::test::QueueExecutor queue;
    const Agent agent(queue);
    notify(cell);

    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(RunUntil, ReturnsWhileAnAgentWithoutAnExecutorIsCurrent) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0).promise();
    const Agent agent(futon::CanBlock::yes);
    notify(cell);

    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(RunUntil, OfAnOuterLoopReturnsAlthoughTheCurrentInnerLoopEnds) {
    EventLoop outer;
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0).promise();
    std::optional<EventLoop> inner(std::in_place);
    outer.post([&] {
        inner.reset();
        notify(cell);
    });

    EXPECT_EQ(outer.run_until(promise), WaitResult::ok);
}

TEST(RunUntil, ThrowsForAPromiseOfAnotherLoopOnceNothingElseIsLeft) {
    const EventLoop outer;
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0).promise();
    EventLoop inner;

    EXPECT_THROW(inner.run_until(promise), std::logic_error);
    EXPECT_FALSE(promise.is_settled());
}

TEST(RunUntil, ThrowsForACoroutineOfAnotherLoop) {
    const EventLoop outer;
    std::atomic<int> cell{0};
    const auto wait = [&]() -> futon::Promise<void> { co_await wait_async(cell, 0); };
    auto promise = wait();
    EventLoop inner;

    EXPECT_THROW(inner.run_until(promise), std::logic_error);
}

TEST(RunUntil, RunsWhatItsOwnLoopHasBeforeItThrows) {
    const EventLoop outer;
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0).promise();
    EventLoop inner;
    bool has_run = false;
    inner.post([&] { has_run = true; });

    EXPECT_THROW(inner.run_until(promise), std::logic_error);
    EXPECT_TRUE(has_run);
}

TEST(RunUntil, ReturnsForAPromiseOfAnotherLoopThatAJobPolls) {
    EventLoop outer;
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0).promise();
    EventLoop inner;
    inner.post([&] {
        notify(cell);
        outer.poll();
    });

    EXPECT_EQ(inner.run_until(promise), WaitResult::ok);
}

TEST(RunUntil, WaitsForAnotherThreadWhereThePromiseIsItsOwn) {
    EventLoop loop;
    auto [promise, source] = futon::make_promise<int>();
    std::thread other([settle = std::move(source)]() mutable { settle.fulfil(7); });

    EXPECT_EQ(loop.run_until(promise), 7);
    other.join();
}

}  // namespace
