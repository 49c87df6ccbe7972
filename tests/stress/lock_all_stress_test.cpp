// SPDX-License-Identifier: MIT
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <random>
#include <stop_token>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::Promise;

/// Four locks, each with a count that only its owner changes. Two of them are strict.
struct CountedLocks {
    AsyncLock& lock(std::size_t i) { return locks[i % locks.size()]; }

    void count(std::size_t first, std::size_t second) {
        ++counts[first % counts.size()];
        ++counts[second % counts.size()];
        entered.fetch_add(2);
    }

    std::array<AsyncLock, 4> locks{AsyncLock(futon::Fairness::bounded), AsyncLock(futon::Fairness::strict),
                                   AsyncLock(futon::Fairness::bounded), AsyncLock(futon::Fairness::strict)};
    std::array<std::uint64_t, 4> counts{};
    std::atomic<std::uint64_t> entered{0};
};

constexpr std::size_t rounds = 2'000;

void run_thread(CountedLocks& counted, unsigned seed) {
    std::minstd_rand random(seed);
    for (std::size_t i = 0; i < rounds; ++i) {
        const std::size_t first = random() % 4;
        const std::size_t second = first + 1 + random() % 3;
        if (random() % 4 == 0) {
            auto guard =
                futon::lock_all(std::chrono::microseconds(random() % 100), counted.lock(first), counted.lock(second));
            if (guard) counted.count(first, second);
        } else if (random() % 4 == 0) {
            const std::scoped_lock guard(counted.lock(first), counted.lock(second));
            counted.count(first, second);
        } else {
            auto [one, other] = futon::lock_all(counted.lock(first), counted.lock(second)).split();
            counted.count(first, second);
            one.unlock_fair();
            other.unlock();
        }
    }
}

Promise<void> run_task(CountedLocks& counted, std::stop_token stop, unsigned seed) {
    std::minstd_rand random(seed);
    for (std::size_t i = 0; i < rounds / 4; ++i) {
        const std::size_t first = random() % 4;
        const std::size_t second = first + 1 + random() % 3;
        const auto limit =
            random() % 2 == 0 ? futon::Deadline(std::chrono::microseconds(random() % 100)) : futon::Deadline::never();
        const auto guard = co_await futon::lock_all_async({limit, stop}, counted.lock(first), counted.lock(second));
        if (guard) counted.count(first, second);
    }
}

/// Loops that run tasks, some of which are destroyed where they stand.
void run_loop(CountedLocks& counted, unsigned seed) {
    for (unsigned round = 0; round < 10; ++round) {
        futon::EventLoop loop;
        std::stop_source stop;
        std::vector<Promise<void>> tasks;
        for (unsigned i = 0; i < 4; ++i) tasks.push_back(run_task(counted, stop.get_token(), seed + 10 * round + i));
        if (round % 2 == 0) {
            for (int i = 0; i < 50; ++i) loop.poll();
            stop.request_stop();
            loop.poll();
        } else {
            for (auto& task : tasks) loop.run_until(std::move(task));
        }
    }
}

TEST(LockAllStress, ThreadsAndLoopsLoseNoLock) {
    CountedLocks counted;
    {
        std::vector<std::jthread> agents;
        for (unsigned i = 0; i < 2; ++i) agents.emplace_back([&, i] { run_thread(counted, 100 + i); });
        for (unsigned i = 0; i < 2; ++i) agents.emplace_back([&, i] { run_loop(counted, 1000 * (i + 1)); });
    }

    std::uint64_t sum = 0;
    for (const std::uint64_t count : counted.counts) sum += count;
    EXPECT_EQ(sum, counted.entered.load());
    EXPECT_TRUE(futon::try_lock_all(counted.locks[0], counted.locks[1], counted.locks[2], counted.locks[3]));
    for (const AsyncLock& lock : counted.locks) EXPECT_EQ(futon::core::process_table().count(&lock), 0u);
}

}  // namespace
