// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstddef>
#include <optional>

#include <gtest/gtest.h>
#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/queue_executor.hpp"
#include "support/scale.hpp"

// Where one of these took time in proportion to the square of `many`, it would
// take minutes.

namespace {

using futon::Agent;
using futon::EventLoop;
using futon::Promise;
using futon::test::CountsItsEnd;

constexpr int many = futon::test::scaled(400'000);

Promise<void> wait_for(std::atomic<int>& cell, int& ends) {
    const CountsItsEnd local(ends);
    co_await futon::wait_async(cell, 0);
}

TEST(EndOfAnAgent, WithManyWakesOnTheWayToItsLoop) {
    EventLoop loop;
    std::optional<Agent> agent(std::in_place, loop);
    std::atomic<int> cell{0};
    int ends = 0;
    for (int i = 0; i < many; ++i) static_cast<void>(wait_for(cell, ends));
    EXPECT_EQ(futon::notify(cell), static_cast<std::size_t>(many));

    agent.reset();

    EXPECT_EQ(ends, many);
}

TEST(EndOfAnAgent, WithManyWakesOnTheWayToAnExecutorThatKeepsThem) {
    futon::test::QueueExecutor queue;
    std::optional<Agent> agent(std::in_place, queue);
    std::atomic<int> cell{0};
    int ends = 0;
    for (int i = 0; i < many; ++i) static_cast<void>(wait_for(cell, ends));
    EXPECT_EQ(futon::notify(cell), static_cast<std::size_t>(many));

    agent.reset();
    queue.run_all();

    EXPECT_EQ(ends, many);
}

}  // namespace
