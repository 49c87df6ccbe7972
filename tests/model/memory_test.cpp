// SPDX-License-Identifier: MIT
// What the explorer's weak memory lets two threads miss that each change a word and then load the other's.
#include <atomic>
#include <functional>

#include <futon/core/atomic.hpp>
#include <futon/explorer/kernel.hpp>

#include "explore.hpp"

namespace {

using futon::core::Atomic;
using futon::explorer::explore;
using futon::explorer::spawn;
using Words = std::function<int(Atomic<int>& mine, Atomic<int>& other)>;

/// Whether in some schedule neither thread sees the change of the other.
bool may_both_miss(const Words& one, const Words& other) {
    bool is_missed = false;
    const auto report = explore({.stale_loads = 2}, [&] {
        Atomic<int> first = 0;
        Atomic<int> second = 0;
        int seen[2] = {};
        spawn("one", [&] { seen[0] = one(first, second); });
        spawn("other", [&] { seen[1] = other(second, first); });
        futon::explorer::join();
        is_missed = is_missed || (seen[0] == 0 && seen[1] == 0);
    });
    EXPECT_TRUE(report.is_exhausted) << report.failure;
    return is_missed;
}

using Order = std::memory_order;

template <Order change, Order load>
int change_and_load(Atomic<int>& mine, Atomic<int>& other) {
    mine.fetch_add(1, change);
    return other.load(load);
}
int change_fence_load(Atomic<int>& mine, Atomic<int>& other) {
    mine.store(1, std::memory_order_relaxed);
    futon::core::fence_seq_cst();
    return other.load(std::memory_order_relaxed);
}
int change_fence_load_in_order(Atomic<int>& mine, Atomic<int>& other) {
    mine.store(1, std::memory_order_relaxed);
    futon::core::fence_seq_cst();
    return other.load();
}

int change_load(Atomic<int>& mine, Atomic<int>& other) {
    mine.store(1, std::memory_order_relaxed);
    return other.load(std::memory_order_relaxed);
}
int change_heavy_fence_load(Atomic<int>& mine, Atomic<int>& other) {
    mine.store(1, std::memory_order_relaxed);
    futon::explorer::heavy_fence();
    return other.load(std::memory_order_relaxed);
}
int heavy_fence_change_load(Atomic<int>& mine, Atomic<int>& other) {
    futon::explorer::heavy_fence();
    return change_load(mine, other);
}

TEST(ModelMemory, AHeavyFenceIsForBoth) {
    EXPECT_FALSE(may_both_miss(change_heavy_fence_load, change_load));
    EXPECT_FALSE(may_both_miss(change_load, change_heavy_fence_load));
}

TEST(ModelMemory, AHeavyFenceHasToBeBetweenTheChangeAndTheLoad) {
    EXPECT_TRUE(may_both_miss(change_load, change_load));
    EXPECT_TRUE(may_both_miss(heavy_fence_change_load, change_load));
    EXPECT_TRUE(may_both_miss(change_load, heavy_fence_change_load));
}

/// Of two threads that pass the heavy fence of a third, either may pass it first: one whose load misses the change of the other, which
/// misses that of the third, while the third misses its own.
TEST(ModelMemory, AHeavyFenceDoesNotOrderTheOthers) {
    for (const bool is_exchanged : {false, true}) {
        bool is_missed = false;
        const auto report = explore({.stale_loads = 3}, [&] {
            Atomic<int> word_of_one = 0, word_of_other = 0, word_of_third = 0;
            int seen[3] = {};
            const auto one = [&] { seen[0] = change_load(word_of_one, word_of_other); };
            const auto other = [&] { seen[1] = change_load(word_of_other, word_of_third); };
            is_exchanged ? spawn("other", other) : spawn("one", one);
            is_exchanged ? spawn("one", one) : spawn("other", other);
            spawn("third", [&] { seen[2] = change_heavy_fence_load(word_of_third, word_of_one); });
            futon::explorer::join();
            is_missed = is_missed || (seen[0] == 0 && seen[1] == 0 && seen[2] == 0);
        });
        EXPECT_TRUE(report.is_exhausted) << report.failure;
        EXPECT_TRUE(is_missed) << "with these threads exchanged: " << is_exchanged;
    }
}

TEST(ModelMemory, OneOfTwoFencesSeesTheOther) {
    EXPECT_FALSE(may_both_miss(change_fence_load, change_fence_load));
}

TEST(ModelMemory, OneOfTwoChangesInTheOneOrderSeesTheOther) {
    EXPECT_FALSE(may_both_miss(change_and_load<Order::seq_cst, Order::seq_cst>,
                               change_and_load<Order::seq_cst, Order::seq_cst>));
    EXPECT_TRUE(may_both_miss(change_and_load<Order::release, Order::acquire>,
                              change_and_load<Order::release, Order::acquire>));
}

TEST(ModelMemory, AFenceAndAChangeInTheOneOrderSeeOneTheOther) {
    EXPECT_FALSE(may_both_miss(change_fence_load_in_order, change_and_load<Order::seq_cst, Order::seq_cst>));
}

TEST(ModelMemory, AFenceAndAWeakerChangeOrLoadMayMissEachOther) {
    EXPECT_TRUE(may_both_miss(change_fence_load_in_order, change_and_load<Order::seq_cst, Order::acquire>));
    EXPECT_TRUE(may_both_miss(change_fence_load_in_order, change_and_load<Order::relaxed, Order::seq_cst>));
    EXPECT_TRUE(may_both_miss(change_fence_load_in_order, change_and_load<Order::relaxed, Order::acquire>));
}

}  // namespace
