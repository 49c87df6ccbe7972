// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include <futon/core/queue/wait_table.hpp>

#include "queue/hash.hpp"
#include "support/gtest.hpp"
#include "support/table_scene.hpp"

namespace {

using futon::WaitResult;
using futon::core::everyone;
using futon::tables::hash_of;
using futon::tables::ProcessTable;
using futon::test::always;
using futon::test::CountingWaiter;
using futon::test::fresh_table;
using futon::test::GroupWaiter;
using futon::test::never;

// As the table divides a hash: bits 52 on choose the shard, the lowest the bucket, the highest six the filter bit.
std::uint64_t shard_of(const void* address) {
    return (hash_of(address) >> 52) % 64;
}
std::uint64_t bucket_of(const void* address) {
    return hash_of(address) % 8;
}
std::uint64_t filter_bit_of(const void* address) {
    return hash_of(address) >> 58;
}

enum class Distance { other_shard, same_shard, same_bucket, same_filter_bit };

bool is_at(Distance distance, const void* from, const void* to) {
    if (from == to) return false;
    const bool same_shard = shard_of(from) == shard_of(to);
    const bool same_bucket = same_shard && bucket_of(from) == bucket_of(to);
    const bool same_bit = same_bucket && filter_bit_of(from) == filter_bit_of(to);
    switch (distance) {
        case Distance::other_shard:
            return !same_shard;
        case Distance::same_shard:
            return same_shard && !same_bucket;
        case Distance::same_bucket:
            return same_bucket && !same_bit;
        case Distance::same_filter_bit:
            return same_bit;
    }
    return false;
}

/// Addresses, none of which is read.
const void* address(std::uintptr_t i) {
    return reinterpret_cast<const void*>(0x1000 + 8 * i);
}

/// Two queues at a distance from each other: what a requeue touches differs.
class Requeue : public testing::TestWithParam<Distance> {
protected:
    Requeue() {
        std::uintptr_t i = 1;
        while (!is_at(GetParam(), from, address(i))) ++i;
        to = address(i);
    }
    ~Requeue() override {
        for (CountingWaiter& waiter : waiters) table->dequeue(waiter, WaitResult::cancelled);
    }

    CountingWaiter& enqueue(const void* at) {
        CountingWaiter& waiter = waiters.emplace_back();
        waiter.order = &order;
        table->enqueue(waiter, always(at));
        return waiter;
    }

    /// Which waiters were delivered, by the order of their enqueueing.
    std::vector<std::size_t> delivered() const {
        std::vector<std::size_t> numbers;
        for (const CountingWaiter* waiter : order)
            for (std::size_t i = 0; i < waiters.size(); ++i)
                if (&waiters[i] == waiter) numbers.push_back(i);
        return numbers;
    }

    ProcessTable* const table = fresh_table();
    const void* const from = address(0);
    const void* to = nullptr;
    std::deque<CountingWaiter> waiters;
    std::vector<CountingWaiter*> order;
};

using Numbers = std::vector<std::size_t>;

TEST_P(Requeue, MovesWaitersWithoutWakingThem) {
    enqueue(from);
    enqueue(from);

    EXPECT_EQ(table->requeue(from, always(to), everyone), 2u);

    EXPECT_EQ(table->count(from), 0u);
    EXPECT_EQ(table->count(to), 2u);
    EXPECT_TRUE(order.empty());
}

TEST_P(Requeue, KeepsTheOrderBehindThoseThatWereThere) {
    enqueue(to);
    for (int i = 0; i < 3; ++i) enqueue(from);

    table->requeue(from, always(to), everyone);
    enqueue(to);

    EXPECT_EQ(table->notify(to, everyone), 5u);
    EXPECT_EQ(delivered(), (Numbers{0, 1, 2, 3, 4}));
}

TEST_P(Requeue, MovesNoMoreThanItsCountFromTheHead) {
    for (int i = 0; i < 4; ++i) enqueue(from);

    EXPECT_EQ(table->requeue(from, always(to), 3), 3u);

    EXPECT_EQ(table->notify(from, everyone), 1u);
    EXPECT_EQ(table->notify(to, everyone), 3u);
    EXPECT_EQ(delivered(), (Numbers{3, 0, 1, 2}));
}

TEST_P(Requeue, MovesNothingForACountOfZero) {
    enqueue(from);

    EXPECT_EQ(table->requeue(from, always(to), 0), 0u);

    EXPECT_EQ(table->count(from), 1u);
}

TEST_P(Requeue, MovesNothingFromAnEmptyQueue) {
    enqueue(to);

    EXPECT_EQ(table->requeue(from, always(to), everyone), 0u);

    EXPECT_EQ(table->notify(to, everyone), 1u);
}

TEST_P(Requeue, MovesNothingIfTheCheckSaysThatTheyNeedNotWait) {
    enqueue(from);

    EXPECT_EQ(table->requeue(from, never(to), everyone), 0u);

    EXPECT_EQ(table->notify(to, everyone), 0u);
    EXPECT_EQ(table->notify(from, everyone), 1u);
}

TEST_P(Requeue, IntoItsOwnQueueMovesNothing) {
    for (int i = 0; i < 3; ++i) enqueue(from);

    EXPECT_EQ(table->requeue(from, always(from), 1), 0u);

    table->notify(from, everyone);
    EXPECT_EQ(delivered(), (Numbers{0, 1, 2}));
}

TEST_P(Requeue, AMovedWaiterIsDequeuedFromItsNewQueue) {
    for (int i = 0; i < 3; ++i) enqueue(from);
    table->requeue(from, always(to), everyone);

    EXPECT_TRUE(table->dequeue(waiters[1], WaitResult::timed_out));

    EXPECT_EQ(waiters[1].result(), WaitResult::timed_out);
    EXPECT_EQ(table->notify(to, everyone), 2u);
    EXPECT_EQ(delivered(), (Numbers{0, 2}));
}

TEST_P(Requeue, ThoseThatStayAreStillDequeued) {
    for (int i = 0; i < 3; ++i) enqueue(from);
    table->requeue(from, always(to), 1);

    EXPECT_TRUE(table->dequeue(waiters[1], WaitResult::cancelled));

    EXPECT_EQ(table->notify(from, everyone), 1u);
    EXPECT_EQ(delivered(), (Numbers{2}));
}

TEST_P(Requeue, AMovedWaiterIsQueued) {
    const auto& waiter = enqueue(from);

    table->requeue(from, always(to), 1);

    EXPECT_TRUE(table->is_queued(waiters[0]));
    table->notify(to, 1);
    EXPECT_FALSE(table->is_queued(waiters[0]));
    EXPECT_EQ(waiter.deliveries, 1);
}

TEST_P(Requeue, MayMoveWaitersBack) {
    for (int i = 0; i < 4; ++i) enqueue(from);

    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(table->requeue(from, always(to), 2), 2u);
        EXPECT_EQ(table->requeue(to, always(from), everyone), 2u);
    }

    EXPECT_EQ(table->notify(from, everyone), 4u);
    EXPECT_EQ(delivered(), (Numbers{2, 3, 0, 1}));  // an odd number of turns
}

TEST_P(Requeue, NotifyFindsTheMovedWhereverTheTableGrows) {
    enqueue(from);
    enqueue(from);
    table->requeue(from, always(to), 1);

    for (std::uintptr_t i = 0; i < 2000; ++i) enqueue(address(100'000 + i));

    EXPECT_EQ(table->notify(to, everyone), 1u);
    EXPECT_EQ(table->notify(from, everyone), 1u);
}

TEST_P(Requeue, MovesAMemberOfAGroupWithoutClaimingIt) {
    std::atomic<GroupWaiter*> winner{nullptr};
    GroupWaiter member{winner};
    table->enqueue(member, always(from));

    EXPECT_EQ(table->requeue(from, always(to), 1), 1u);

    EXPECT_EQ(winner, nullptr);
    EXPECT_TRUE(table->is_queued(member));
    EXPECT_TRUE(table->dequeue(member, WaitResult::cancelled));
}

INSTANTIATE_TEST_SUITE_P(AtEachDistance, Requeue,
                         testing::Values(Distance::other_shard, Distance::same_shard, Distance::same_bucket,
                                         Distance::same_filter_bit),
                         [](const testing::TestParamInfo<Distance>& param) -> std::string {
                             switch (param.param) {
                                 case Distance::other_shard:
                                     return "OtherShard";
                                 case Distance::same_shard:
                                     return "SameShard";
                                 case Distance::same_bucket:
                                     return "SameBucket";
                                 default:
                                     return "SameFilterBit";
                             }
                         });

}  // namespace
