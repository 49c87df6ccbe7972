// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <futon/core/wait_table.hpp>

#include "tables/hash.hpp"
#include "tables/process_table.hpp"

namespace {

using futon::WaitResult;
using futon::core::everyone;
using futon::core::WaitCheck;
using futon::core::Waiter;
using futon::tables::ProcessTable;

/// A table of one's own, which is never destroyed, as tables are not.
ProcessTable* fresh_table() {
    static auto* const tables = new std::vector<std::unique_ptr<ProcessTable>>;
    return tables->emplace_back(std::make_unique<ProcessTable>()).get();
}

/// A waiter that counts its deliveries.
class Probe final : public Waiter {
public:
    std::atomic<int> deliveries{0};
    std::vector<Probe*>* order = nullptr;

private:
    void deliver() noexcept override {
        if (order != nullptr) order->push_back(this);
        ++deliveries;  // the last touch: it may be destroyed now
    }
};

WaitCheck always(const void* address) {
    return {const_cast<void*>(address), 0, [](void*, std::uint64_t) noexcept { return true; }};
}

WaitCheck never(const void* address) {
    return {const_cast<void*>(address), 0, [](void*, std::uint64_t) noexcept { return false; }};
}

TEST(ProcessTable, IsThereAlready) {
    EXPECT_EQ(&futon::core::process_table(), &futon::core::process_table());
}

TEST(ProcessTable, LetsWhoseConditionHoldsJoin) {
    ProcessTable* const table = fresh_table();
    int word = 0;
    Probe probe;

    EXPECT_TRUE(table->enqueue(probe, always(&word)));

    EXPECT_EQ(table->count(&word), 1u);
    table->dequeue(probe, WaitResult::cancelled);
}

TEST(ProcessTable, LetsNobodyElseJoin) {
    ProcessTable* const table = fresh_table();
    int word = 0;
    Probe probe;

    EXPECT_FALSE(table->enqueue(probe, never(&word)));

    EXPECT_EQ(table->count(&word), 0u);
    EXPECT_EQ(table->notify(&word, everyone), 0u);
}

TEST(ProcessTable, LetsOneLeaveOnce) {
    ProcessTable* const table = fresh_table();
    int word = 0;
    Probe probe;
    table->enqueue(probe, always(&word));

    EXPECT_TRUE(table->dequeue(probe, WaitResult::timed_out));
    EXPECT_FALSE(table->dequeue(probe, WaitResult::cancelled));

    EXPECT_EQ(probe.result(), WaitResult::timed_out);
    EXPECT_EQ(probe.deliveries, 0);
}

TEST(ProcessTable, LetsNobodyLeaveWhoWasNotified) {
    ProcessTable* const table = fresh_table();
    int word = 0;
    Probe probe;
    table->enqueue(probe, always(&word));
    table->notify(&word, 1);

    EXPECT_FALSE(table->dequeue(probe, WaitResult::cancelled));

    EXPECT_EQ(probe.result(), WaitResult::ok);
    EXPECT_EQ(probe.deliveries, 1);
}

TEST(ProcessTable, NeverAsksTheMemoryBehindAnAddressExceptToJoin) {
    ProcessTable* const table = fresh_table();
    const void* nowhere = reinterpret_cast<const void*>(std::uintptr_t{8});
    Probe probe;

    table->enqueue(probe, always(nowhere));

    EXPECT_EQ(table->notify(nowhere, everyone), 1u);
}

TEST(ProcessTable, DeliversInTheOrderOfJoining) {
    ProcessTable* const table = fresh_table();
    int word = 0;
    std::array<Probe, 5> probes;
    std::vector<Probe*> order;
    for (Probe& probe : probes) {
        probe.order = &order;
        table->enqueue(probe, always(&word));
    }

    table->notify(&word, 2);
    table->notify(&word, everyone);

    EXPECT_EQ(order, (std::vector{&probes[0], &probes[1], &probes[2], &probes[3], &probes[4]}));
}

TEST(ProcessTable, KeepsTheOrderWhenOneLeavesFromAnyPlace) {
    for (std::size_t leaving = 0; leaving < 4; ++leaving) {
        ProcessTable* const table = fresh_table();
        int word = 0;
        std::array<Probe, 4> probes;
        std::vector<Probe*> order;
        std::vector<Probe*> expected;
        for (std::size_t i = 0; i < probes.size(); ++i) {
            probes[i].order = &order;
            table->enqueue(probes[i], always(&word));
            if (i != leaving) expected.push_back(&probes[i]);
        }

        table->dequeue(probes[leaving], WaitResult::cancelled);

        EXPECT_EQ(table->notify(&word, everyone), 3u);
        EXPECT_EQ(order, expected);
    }
}

TEST(ProcessTable, HandsTheFirstToWhoTakesIt) {
    ProcessTable* const table = fresh_table();
    int word = 0;
    Probe first;
    Probe second;
    table->enqueue(first, always(&word));
    table->enqueue(second, always(&word));

    Waiter* taken = table->dequeue_first(&word);

    EXPECT_EQ(taken, &first);
    EXPECT_EQ(first.deliveries, 0);
    EXPECT_EQ(table->count(&word), 1u);
    ProcessTable::deliver(*taken);
    EXPECT_EQ(first.deliveries, 1);
    table->dequeue(second, WaitResult::cancelled);
}

TEST(ProcessTable, HandsOutNobodyWhereNobodyWaits) {
    ProcessTable* const table = fresh_table();
    int word = 0;

    EXPECT_EQ(table->dequeue_first(&word), nullptr);
}

/// Notes whom it is shown.
class Spectator final : public futon::core::QueueVisitor {
public:
    Spectator() { seen.reserve(1024); }

    void visit(const void* address, const Waiter& waiter) noexcept override { seen.emplace_back(address, &waiter); }

    std::vector<std::pair<const void*, const Waiter*>> seen;
};

TEST(ProcessTable, ShowsALineInItsOrder) {
    ProcessTable* const table = fresh_table();
    std::array<int, 2> words{};
    std::array<Probe, 3> probes;
    Probe elsewhere;
    for (Probe& probe : probes) table->enqueue(probe, always(&words[0]));
    table->enqueue(elsewhere, always(&words[1]));

    Spectator spectator;
    table->visit(&words[0], spectator);

    const void* address = &words[0];
    EXPECT_EQ(spectator.seen, (std::vector<std::pair<const void*, const Waiter*>>{
                                  {address, &probes[0]}, {address, &probes[1]}, {address, &probes[2]}}));
    EXPECT_EQ(table->notify(&words[0], everyone) + table->notify(&words[1], everyone), 4u);
    spectator.seen.clear();
    table->visit(&words[0], spectator);
    EXPECT_TRUE(spectator.seen.empty());
}

TEST(ProcessTable, ShowsEverybodyOnce) {
    ProcessTable* const table = fresh_table();
    std::vector<int> words(1000);
    std::vector<Probe> probes(1000);
    for (std::size_t i = 0; i < probes.size(); ++i) table->enqueue(probes[i], always(&words[i / 2]));

    Spectator spectator;
    table->visit_all(spectator);

    EXPECT_EQ(spectator.seen.size(), probes.size());
    const std::set<std::pair<const void*, const Waiter*>> seen(spectator.seen.begin(), spectator.seen.end());
    for (std::size_t i = 0; i < probes.size(); ++i) EXPECT_TRUE(seen.contains({&words[i / 2], &probes[i]}));
    for (int& word : words) table->notify(&word, everyone);
}

TEST(ProcessTable, FindsEachOfAHundredThousandLines) {
    constexpr std::size_t lines = 100'000;
    ProcessTable* const table = fresh_table();
    std::vector<std::int32_t> words(lines);
    std::vector<Probe> probes(lines);
    for (std::size_t i = 0; i < lines; ++i) ASSERT_TRUE(table->enqueue(probes[i], always(&words[i])));

    std::size_t found = 0;
    for (std::size_t i = 0; i < lines; ++i) found += table->count(&words[i]) == 1 ? 1u : 0u;
    std::size_t woken = 0;
    for (std::size_t i = 0; i < lines; ++i) woken += table->notify(&words[i], everyone);

    EXPECT_EQ(found, lines);
    EXPECT_EQ(woken, lines);
    for (const Probe& probe : probes) ASSERT_EQ(probe.deliveries, 1);
}

TEST(ProcessTable, LetsEachOfAHundredThousandLinesLeaveInAnyOrder) {
    constexpr std::size_t lines = 100'000;
    ProcessTable* const table = fresh_table();
    std::vector<std::int64_t> words(lines);
    std::vector<Probe> probes(lines);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < lines; ++i) {
        table->enqueue(probes[i], always(&words[i]));
        order.push_back(i);
    }
    std::shuffle(order.begin(), order.end(), std::minstd_rand(1));

    std::size_t left = 0;
    for (const std::size_t i : order) left += table->dequeue(probes[i], WaitResult::cancelled) ? 1u : 0u;

    EXPECT_EQ(left, lines);
    for (std::size_t i = 0; i < lines; ++i) ASSERT_EQ(table->count(&words[i]), 0u);
}

TEST(ProcessTable, LosesNobodyWhileItGrows) {
    constexpr std::size_t lines = 20'000;
    ProcessTable* const table = fresh_table();
    std::vector<std::int32_t> words(2 * lines);
    std::vector<Probe> probes(2 * lines);
    const auto join_and_notify = [&](std::size_t begin) {
        for (std::size_t i = begin; i < begin + lines; ++i) {
            table->enqueue(probes[i], always(&words[i]));
            if (i % 2 == 0) {
                EXPECT_EQ(table->notify(&words[i], 1), 1u);
            }
        }
        for (std::size_t i = begin; i < begin + lines; ++i) EXPECT_EQ(table->notify(&words[i], everyone), i % 2);
    };

    {
        const std::jthread first(join_and_notify, 0);
        const std::jthread second(join_and_notify, lines);
    }

    for (const Probe& probe : probes) ASSERT_EQ(probe.deliveries, 1);
}

TEST(ProcessTable, DecidesOnceBetweenANotifyAndALeave) {
    constexpr int rounds = 5000;
    ProcessTable* const table = fresh_table();
    int word = 0;
    std::atomic<bool> is_over{false};
    std::size_t counted = 0;
    std::jthread notifier([&] {
        while (!is_over) counted += table->notify(&word, everyone);
    });

    int lost = 0;
    for (int round = 0; round < rounds; ++round) {
        Probe probe;
        table->enqueue(probe, always(&word));
        if (table->dequeue(probe, WaitResult::cancelled)) continue;
        ++lost;
        while (probe.deliveries == 0) std::this_thread::yield();
    }
    is_over = true;
    notifier.join();

    EXPECT_EQ(counted, static_cast<std::size_t>(lost));
}

TEST(Hash, TellsNeighboursApartByEveryBit) {
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

TEST(Hash, SpreadsWordsAtAnyDistanceOverItsLowBits) {
    constexpr std::size_t words = 4096;
    for (const std::uintptr_t distance : {1u, 4u, 8u, 64u, 4096u, 65536u}) {
        std::set<std::uint64_t> buckets;
        for (std::size_t i = 0; i < words; ++i) {
            const auto* address = reinterpret_cast<const void*>(0x7f0000000000 + i * distance);
            buckets.insert(futon::tables::hash_of(address) % words);
        }
        EXPECT_GT(buckets.size(), words / 2) << distance;
    }
}

}  // namespace
