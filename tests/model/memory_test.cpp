// SPDX-License-Identifier: MIT
// What the explorer's weak memory lets two threads miss that each change a word and then load the other's.
#include <atomic>
#include <functional>

#include <futon/core/atomic.hpp>

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
