// SPDX-License-Identifier: MIT
#include <atomic>
#include <optional>

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

}  // namespace
