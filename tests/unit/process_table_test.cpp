// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <futon/core/queue/wait_table.hpp>

#include "queue/hash.hpp"
#include "queue/process_table.hpp"
#include "support/gtest.hpp"
#include "support/table_scene.hpp"

namespace {

using futon::WaitResult;
using futon::core::EnqueueResult;
using futon::core::everyone;
using futon::core::Waiter;
using futon::tables::ProcessTable;
using futon::test::always;
using futon::test::CountingWaiter;
using futon::test::fresh_table;
using futon::test::never;

TEST(ProcessTable, IsOnePerProcess) {
    EXPECT_EQ(&futon::core::process_table(), &futon::core::process_table());
}

TEST(ProcessTable, EnqueuesAWaiterWhoseCheckHolds) {
    ProcessTable* const table = fresh_table();
    int word = 0;
    CountingWaiter waiter;

    EXPECT_EQ(table->enqueue(waiter, always(&word)), EnqueueResult::queued);

    EXPECT_EQ(table->count(&word), 1u);
    table->dequeue(waiter, WaitResult::cancelled);
}

TEST(ProcessTable, DoesNotEnqueueAWaiterWhoseCheckFails) {
    ProcessTable* const table = fresh_table();
    int word = 0;
    CountingWaiter waiter;

    EXPECT_EQ(table->enqueue(waiter, never(&word)), EnqueueResult::not_needed);

    EXPECT_EQ(table->count(&word), 0u);
    EXPECT_EQ(table->notify(&word, everyone), 0u);
}

TEST(ProcessTable, DequeuesAWaiterOnce) {
    ProcessTable* const table = fresh_table();
    int word = 0;
    CountingWaiter waiter;
    table->enqueue(waiter, always(&word));

    EXPECT_TRUE(table->dequeue(waiter, WaitResult::timed_out));
    EXPECT_FALSE(table->dequeue(waiter, WaitResult::cancelled));

    EXPECT_EQ(waiter.result(), WaitResult::timed_out);
    EXPECT_EQ(waiter.deliveries, 0);
}

TEST(ProcessTable, DoesNotDequeueANotifiedWaiter) {
    ProcessTable* const table = fresh_table();
    int word = 0;
    CountingWaiter waiter;
    table->enqueue(waiter, always(&word));
    table->notify(&word, 1);

    EXPECT_FALSE(table->dequeue(waiter, WaitResult::cancelled));

    EXPECT_EQ(waiter.result(), WaitResult::ok);
    EXPECT_EQ(waiter.deliveries, 1);
}

TEST(ProcessTable, ReadsTheMemoryAtAnAddressOnlyInTheCheck) {
    ProcessTable* const table = fresh_table();
    const void* nowhere = reinterpret_cast<const void*>(std::uintptr_t{8});
    CountingWaiter waiter;

    table->enqueue(waiter, always(nowhere));

    EXPECT_EQ(table->notify(nowhere, everyone), 1u);
}

TEST(ProcessTable, NotifiesInFifoOrder) {
    ProcessTable* const table = fresh_table();
    int word = 0;
    std::array<CountingWaiter, 5> waiters;
    std::vector<CountingWaiter*> order;
    for (CountingWaiter& waiter : waiters) {
        waiter.order = &order;
        table->enqueue(waiter, always(&word));
    }

    table->notify(&word, 2);
    table->notify(&word, everyone);

    EXPECT_EQ(order, (std::vector{&waiters[0], &waiters[1], &waiters[2], &waiters[3], &waiters[4]}));
}

TEST(ProcessTable, KeepsFifoOrderWhenAWaiterIsDequeuedFromAnyPosition) {
    for (std::size_t dequeued = 0; dequeued < 4; ++dequeued) {
        ProcessTable* const table = fresh_table();
        int word = 0;
        std::array<CountingWaiter, 4> waiters;
        std::vector<CountingWaiter*> order;
        std::vector<CountingWaiter*> expected;
        for (std::size_t i = 0; i < waiters.size(); ++i) {
            waiters[i].order = &order;
            table->enqueue(waiters[i], always(&word));
            if (i != dequeued) expected.push_back(&waiters[i]);
        }

        table->dequeue(waiters[dequeued], WaitResult::cancelled);

        EXPECT_EQ(table->notify(&word, everyone), 3u);
        EXPECT_EQ(order, expected);
    }
}

TEST(ProcessTable, DequeueFirstReturnsTheHeadWithoutDeliveringIt) {
    ProcessTable* const table = fresh_table();
    int word = 0;
    CountingWaiter first;
    CountingWaiter second;
    table->enqueue(first, always(&word));
    table->enqueue(second, always(&word));

    Waiter* head = table->dequeue_first(&word);

    EXPECT_EQ(head, &first);
    EXPECT_EQ(first.deliveries, 0);
    EXPECT_EQ(table->count(&word), 1u);
    ProcessTable::deliver(*head);
    EXPECT_EQ(first.deliveries, 1);
    table->dequeue(second, WaitResult::cancelled);
}

TEST(ProcessTable, DequeueFirstReturnsNullForAnEmptyQueue) {
    ProcessTable* const table = fresh_table();
    int word = 0;

    EXPECT_EQ(table->dequeue_first(&word), nullptr);
}

/// Records the waiters that it visits.
class RecordingVisitor final : public futon::core::QueueVisitor {
public:
    RecordingVisitor() { seen.reserve(1024); }

    void visit(const void* address, const Waiter& waiter) noexcept override { seen.emplace_back(address, &waiter); }

    std::vector<std::pair<const void*, const Waiter*>> seen;
};

TEST(ProcessTable, VisitsAQueueInFifoOrder) {
    ProcessTable* const table = fresh_table();
    std::array<int, 2> words{};
    std::array<CountingWaiter, 3> waiters;
    CountingWaiter elsewhere;
    for (CountingWaiter& waiter : waiters) table->enqueue(waiter, always(&words[0]));
    table->enqueue(elsewhere, always(&words[1]));

    RecordingVisitor visitor;
    table->visit(&words[0], visitor);

    const void* address = &words[0];
    EXPECT_EQ(visitor.seen, (std::vector<std::pair<const void*, const Waiter*>>{
                                {address, &waiters[0]}, {address, &waiters[1]}, {address, &waiters[2]}}));
    EXPECT_EQ(table->notify(&words[0], everyone) + table->notify(&words[1], everyone), 4u);
    visitor.seen.clear();
    table->visit(&words[0], visitor);
    EXPECT_TRUE(visitor.seen.empty());
}

TEST(ProcessTable, VisitsEachWaiterOfAllQueuesOnce) {
    ProcessTable* const table = fresh_table();
    std::vector<int> words(1000);
    std::vector<CountingWaiter> waiters(1000);
    for (std::size_t i = 0; i < waiters.size(); ++i) table->enqueue(waiters[i], always(&words[i / 2]));

    RecordingVisitor visitor;
    table->visit_all(visitor);

    EXPECT_EQ(visitor.seen.size(), waiters.size());
    const std::set<std::pair<const void*, const Waiter*>> seen(visitor.seen.begin(), visitor.seen.end());
    for (std::size_t i = 0; i < waiters.size(); ++i) EXPECT_TRUE(seen.contains({&words[i / 2], &waiters[i]}));
    for (int& word : words) table->notify(&word, everyone);
}

TEST(ProcessTable, FindsEachOfAHundredThousandQueues) {
    constexpr std::size_t queues = 100'000;
    ProcessTable* const table = fresh_table();
    std::vector<std::int32_t> words(queues);
    std::vector<CountingWaiter> waiters(queues);
    for (std::size_t i = 0; i < queues; ++i)
        ASSERT_EQ(table->enqueue(waiters[i], always(&words[i])), EnqueueResult::queued);

    std::size_t found = 0;
    for (std::size_t i = 0; i < queues; ++i) found += table->count(&words[i]) == 1 ? 1u : 0u;
    std::size_t woken = 0;
    for (std::size_t i = 0; i < queues; ++i) woken += table->notify(&words[i], everyone);

    EXPECT_EQ(found, queues);
    EXPECT_EQ(woken, queues);
    for (const CountingWaiter& waiter : waiters) ASSERT_EQ(waiter.deliveries, 1);
}

TEST(ProcessTable, DequeuesFromAHundredThousandQueuesInAnyOrder) {
    constexpr std::size_t queues = 100'000;
    ProcessTable* const table = fresh_table();
    std::vector<std::int64_t> words(queues);
    std::vector<CountingWaiter> waiters(queues);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < queues; ++i) {
        table->enqueue(waiters[i], always(&words[i]));
        order.push_back(i);
    }
    std::shuffle(order.begin(), order.end(), std::minstd_rand(1));

    std::size_t dequeued = 0;
    for (const std::size_t i : order) dequeued += table->dequeue(waiters[i], WaitResult::cancelled) ? 1u : 0u;

    EXPECT_EQ(dequeued, queues);
    for (std::size_t i = 0; i < queues; ++i) ASSERT_EQ(table->count(&words[i]), 0u);
}

TEST(ProcessTable, LosesNoWaiterWhileItGrows) {
    constexpr std::size_t queues = 20'000;
    ProcessTable* const table = fresh_table();
    std::vector<std::int32_t> words(2 * queues);
    std::vector<CountingWaiter> waiters(2 * queues);
    const auto enqueue_and_notify = [&](std::size_t begin) {
        for (std::size_t i = begin; i < begin + queues; ++i) {
            table->enqueue(waiters[i], always(&words[i]));
            if (i % 2 == 0) {
                EXPECT_EQ(table->notify(&words[i], 1), 1u);
            }
        }
        for (std::size_t i = begin; i < begin + queues; ++i) EXPECT_EQ(table->notify(&words[i], everyone), i % 2);
    };

    {
        const std::jthread first(enqueue_and_notify, 0);
        const std::jthread second(enqueue_and_notify, queues);
    }

    for (const CountingWaiter& waiter : waiters) ASSERT_EQ(waiter.deliveries, 1);
}

TEST(ProcessTable, ExactlyOneOfNotifyAndDequeueRemovesAWaiter) {
    constexpr int rounds = 5000;
    ProcessTable* const table = fresh_table();
    int word = 0;
    std::atomic<bool> is_over{false};
    std::size_t counted = 0;
    std::jthread notifier([&] {
        while (!is_over) counted += table->notify(&word, everyone);
    });

    int notified = 0;
    for (int round = 0; round < rounds; ++round) {
        CountingWaiter waiter;
        table->enqueue(waiter, always(&word));
        if (table->dequeue(waiter, WaitResult::cancelled)) continue;
        ++notified;
        while (waiter.deliveries == 0) std::this_thread::yield();
    }
    is_over = true;
    notifier.join();

    EXPECT_EQ(counted, static_cast<std::size_t>(notified));
}

TEST(Hash, EveryBitVariesBetweenNeighbouringAddresses) {
    std::uint64_t ones = 0;
    std::uint64_t zeros = 0;
    for (std::uintptr_t address = 0x10000; address < 0x10000 + 64 * 256; address += 64) {
        const std::uint64_t hash = futon::tables::hash_of(reinterpret_cast<const void*>(address));
        ones |= hash;
        zeros |= ~hash;
    }

    EXPECT_EQ(ones, ~std::uint64_t{0});
    EXPECT_EQ(zeros, ~std::uint64_t{0});
}

TEST(Hash, SpreadsAddressesOfAnyStrideOverItsLowBits) {
    constexpr std::size_t words = 4096;
    for (const std::uintptr_t stride : {1u, 4u, 8u, 64u, 4096u, 65536u}) {
        std::set<std::uint64_t> buckets;
        for (std::size_t i = 0; i < words; ++i) {
            const auto* address = reinterpret_cast<const void*>(0x7f0000000000 + i * stride);
            buckets.insert(futon::tables::hash_of(address) % words);
        }
        EXPECT_GT(buckets.size(), words / 2) << stride;
    }
}

/// How even a hash makes a table that has as many buckets in each shard as queues, or up to half as many.
struct Evenness {
    double largest_shard = 0;  // as a multiple of the average one
    double met = 0;            // how many queues the chain of one has, on average
};

Evenness evenness_of(std::uintptr_t first, std::uintptr_t stride, std::size_t words) {
    std::array<std::vector<std::uint64_t>, 64> shards;
    for (std::size_t i = 0; i < words; ++i) {
        const std::uint64_t hash = futon::tables::hash_of(reinterpret_cast<const void*>(first + i * stride));
        shards[(hash >> 52) % shards.size()].push_back(hash);
    }
    Evenness found;
    for (const auto& shard : shards) {
        std::vector<std::uint32_t> chains(std::bit_floor(shard.size() | 8));
        for (const std::uint64_t hash : shard) ++chains[static_cast<std::size_t>(hash % chains.size())];
        for (const double length : chains) found.met += length * length / static_cast<double>(words);
        const double size = static_cast<double>(shard.size() * shards.size()) / static_cast<double>(words);
        found.largest_shard = std::max(found.largest_shard, size);
    }
    return found;
}

// Drawn at random they would be 2.5, and a shard 1.1 times the average. By the golden ratio as factor some strides have 7.
TEST(Hash, MakesChainsAndShardsEvenAtAnyStride) {
    for (const std::uintptr_t first : {std::uintptr_t{0x12345000}, static_cast<std::uintptr_t>(0x7f12a4c00000),
                                       static_cast<std::uintptr_t>(0x55d0c1e3a2c0)})
        for (const std::uintptr_t stride :
             {1u, 4u, 8u, 16u, 24u, 40u, 48u, 64u, 72u, 128u, 192u, 256u, 320u, 1000u, 4096u, 4160u, 8192u}) {
            const Evenness found = evenness_of(first, stride, 100'000);
            EXPECT_LT(found.met, 3.3) << first << " and each " << stride << " bytes";
            EXPECT_LT(found.largest_shard, 1.2) << first << " and each " << stride << " bytes";
        }
}

}  // namespace
