// SPDX-License-Identifier: MIT
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <thread>

#include <futon/core/queue/wait_table.hpp>

#include "support/gtest.hpp"
#include "support/table_scene.hpp"

namespace {

using futon::WaitResult;
using futon::core::everyone;
using futon::tables::ProcessTable;
using futon::test::always;
using futon::test::CountingWaiter;
using futon::test::fresh_table;

/// Addresses, none of which is read.
const void* numbered_address(std::uintptr_t i) {
    return reinterpret_cast<const void*>(0x1000 + 8 * i);
}

TEST(RequeueGrowth, TheDestinationGrowsWithTheQueuesThatItGets) {
    constexpr std::uintptr_t queues = 5000;
    ProcessTable* const table = fresh_table();
    std::deque<CountingWaiter> waiters;
    for (std::uintptr_t i = 0; i < queues; ++i) table->enqueue(waiters.emplace_back(), always(numbered_address(i)));

    for (std::uintptr_t i = 0; i < queues; ++i)
        ASSERT_EQ(table->requeue(numbered_address(i), always(numbered_address(queues + i)), everyone), 1u);

    for (std::uintptr_t i = 0; i < queues; ++i) {
        ASSERT_EQ(table->notify(numbered_address(i), everyone), 0u);
        ASSERT_EQ(table->notify(numbered_address(queues + i), everyone), 1u);
    }
}

TEST(RequeueRace, ADequeueFindsAWaiterThatIsMovedMeanwhile) {
    constexpr int rounds = 3000;
    ProcessTable* const table = fresh_table();
    const std::array<const void*, 2> words{numbered_address(0), numbered_address(1)};
    std::atomic<bool> is_over{false};
    std::jthread mover([&] {
        while (!is_over) {
            table->requeue(words[0], always(words[1]), everyone);
            table->requeue(words[1], always(words[0]), everyone);
        }
    });

    int dequeued = 0;
    for (int round = 0; round < rounds; ++round) {
        CountingWaiter waiter;
        table->enqueue(waiter, always(words[static_cast<std::size_t>(round) % 2]));
        dequeued += table->dequeue(waiter, WaitResult::cancelled) ? 1 : 0;
    }
    is_over = true;
    mover.join();

    EXPECT_EQ(dequeued, rounds);
}

TEST(RequeueRace, TwoThatMoveInOppositeDirectionsDoNotDeadlock) {
    ProcessTable* const table = fresh_table();
    std::deque<CountingWaiter> waiters(4);
    for (CountingWaiter& waiter : waiters) table->enqueue(waiter, always(numbered_address(0)));
    const auto move = [&](const void* from, const void* to) {
        for (int i = 0; i < 3000; ++i) table->requeue(from, always(to), 2);
    };

    {
        const std::jthread there(move, numbered_address(0), numbered_address(1));
        const std::jthread back(move, numbered_address(1), numbered_address(0));
    }

    EXPECT_EQ(table->notify(numbered_address(0), everyone) + table->notify(numbered_address(1), everyone),
              waiters.size());
}

}  // namespace
