// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstddef>
#include <optional>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/queue_executor.hpp"
#include "support/scale.hpp"
#include "support/waiting_coroutines.hpp"

namespace {

using futon::Agent;
using futon::EventLoop;
using futon::test::many;
using futon::test::wait_counted;

TEST(AgentStress, EndsInLinearTimeWithManyWakesPostedToItsLoop) {
    EventLoop loop;
    std::optional<Agent> agent(std::in_place, loop);
    std::atomic<int> cell{0};
    int destroyed = 0;
    for (int i = 0; i < many; ++i) static_cast<void>(wait_counted(cell, destroyed));
    EXPECT_EQ(futon::notify(cell), static_cast<std::size_t>(many));

    agent.reset();

    EXPECT_EQ(destroyed, many);
}

TEST(AgentStress, EndsInLinearTimeWithManyWakesKeptByItsExecutor) {
    futon::test::QueueExecutor queue;
    std::optional<Agent> agent(std::in_place, queue);
    std::atomic<int> cell{0};
    int destroyed = 0;
    for (int i = 0; i < many; ++i) static_cast<void>(wait_counted(cell, destroyed));
    EXPECT_EQ(futon::notify(cell), static_cast<std::size_t>(many));

    agent.reset();
    queue.run_all();

    EXPECT_EQ(destroyed, many);
}

}  // namespace
