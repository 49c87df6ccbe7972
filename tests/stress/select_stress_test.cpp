// SPDX-License-Identifier: MIT
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <thread>
#include <type_traits>
#include <variant>
#include <vector>

#include <futon/futon.hpp>
#include <futon/select.hpp>

#include "support/gtest.hpp"
#include "support/timed_rounds.hpp"

namespace {

using futon::AsyncLock;
using futon::Promise;
using futon::select;
using futon::select_async;
using futon::timeout;
using futon::waiting;
using futon::WaitResult;
using futon::test::TimedRounds;

/// What is selected: three words that are never changed, so that only a notify ends a wait; and two locks.
struct Subjects {
    std::array<std::atomic<int>, 3> words{};
    std::array<AsyncLock, 2> locks;
    std::array<std::uint64_t, 2> owned{};    // under the locks
    std::atomic<std::uint64_t> acquired{0};  // by selects
    std::atomic<std::uint64_t> woken{0};     // selects that a notify ended
    std::atomic<std::uint64_t> notified{0};  // what the notifies counted
    std::atomic<int> running{0};             // threads that select

    std::size_t waiting() {
        std::size_t sum = 0;
        for (const auto& word : words) sum += futon::core::process_table().count(&word);
        for (const auto& lock : locks) sum += futon::core::process_table().count(&lock);
        return sum;
    }
};

/// Counts what a select has chosen; if that is a lock, it is the one with this number.
template <class Chosen>
void count(Subjects& subjects, Chosen& chosen, std::size_t lock) {
    std::visit(
        [&](auto& result) {
            if constexpr (std::is_same_v<std::decay_t<decltype(result)>, AsyncLock::Guard>) {
                ++subjects.owned[lock];
                ++subjects.acquired;
            } else if (result == WaitResult::ok) {
                ++subjects.woken;
            }
        },
        chosen);
}

void select_blocking(Subjects& subjects, unsigned seed) {
    std::mt19937 random(seed);
    TimedRounds rounds;
    while (rounds.has_another_round()) {
        auto& word = subjects.words[random() % 3];
        auto& other = subjects.words[random() % 3];
        const std::size_t lock = random() % 2;
        const auto time = timeout(std::chrono::microseconds(random() % 300));
        switch (random() % 3) {
            case 0: {
                auto chosen = select(waiting(word, 0), waiting(other, 0), time);
                count(subjects, chosen, 0);
                break;
            }
            case 1: {
                auto chosen = select(subjects.locks[lock].locking(), waiting(word, 0), time);
                count(subjects, chosen, lock);
                break;
            }
            default: {
                auto chosen = select(waiting(word, 0), subjects.locks[lock].locking(), waiting(other, 0));
                count(subjects, chosen, lock);
            }
        }
    }
    --subjects.running;
}

Promise<void> select_on_a_loop(Subjects& subjects, unsigned seed) {
    std::mt19937 random(seed);
    TimedRounds rounds;
    while (rounds.has_another_round()) {
        auto& word = subjects.words[random() % 3];
        auto& other = subjects.words[random() % 3];
        const std::size_t lock = random() % 2;
        const auto time = timeout(std::chrono::microseconds(random() % 300));
        if (random() % 2 == 0) {
            auto chosen = co_await select_async(waiting(word, 0), waiting(other, 0), time);
            count(subjects, chosen, 0);
        } else {
            auto chosen = co_await select_async(waiting(word, 0), subjects.locks[lock].locking(), time);
            count(subjects, chosen, lock);
        }
    }
}

TEST(SelectStress, TheSumOfAllNotifiesIsTheNumberOfSelectsThatTheyEnded) {
    Subjects subjects;
    constexpr int threads = 4;
    constexpr unsigned loops = 2;
    subjects.running = threads + static_cast<int>(loops);

    {
        std::vector<std::jthread> all;
        for (unsigned i = 0; i < threads; ++i) all.emplace_back([&, i] { select_blocking(subjects, i); });
        for (unsigned i = 0; i < loops; ++i)
            all.emplace_back([&, i] {
                futon::EventLoop loop;
                std::vector<Promise<void>> tasks;
                for (unsigned k = 0; k < 20; ++k) tasks.push_back(select_on_a_loop(subjects, 100 * i + k));
                loop.run();
                for (const Promise<void>& task : tasks) EXPECT_TRUE(task.is_settled());
                --subjects.running;
            });
        for (unsigned i = 0; i < 2; ++i)
            all.emplace_back([&, i] {
                std::mt19937 random(1000 + i);
                while (subjects.running > 0) {
                    const std::size_t how_many = random() % 8 == 0 ? futon::everyone : 1 + random() % 3;
                    subjects.notified += futon::notify(subjects.words[random() % 3], how_many);
                    std::this_thread::yield();
                }
            });
    }

    EXPECT_EQ(subjects.notified, subjects.woken);
    EXPECT_EQ(subjects.owned[0] + subjects.owned[1], subjects.acquired);
    EXPECT_EQ(subjects.waiting(), 0u);
    for (AsyncLock& lock : subjects.locks) EXPECT_TRUE(lock.try_lock());
}

TEST(SelectStress, LocksAreNeverLostBetweenSelectsAndPlainLocks) {
    std::array<AsyncLock, 2> locks;
    std::array<std::uint64_t, 2> sums{};
    std::atomic<std::uint64_t> acquired{0};
    const auto run_select = [&](bool in_order) {
        TimedRounds rounds;
        while (rounds.has_another_round()) {
            auto chosen = select(locks[in_order ? 0 : 1].locking(), locks[in_order ? 1 : 0].locking());
            ++sums[(chosen.index() == 0) == in_order ? 0 : 1];
            ++acquired;
        }
    };
    const auto run_lock = [&](std::size_t which) {
        TimedRounds rounds;
        while (rounds.has_another_round()) {
            const std::scoped_lock hold(locks[which]);
            ++sums[which];
            ++acquired;
            if (rounds.round() % 16 == 0) std::this_thread::yield();
        }
    };

    {
        const std::jthread forward(run_select, true);
        const std::jthread backward(run_select, false);
        const std::jthread first(run_lock, 0);
        const std::jthread second(run_lock, 1);
    }

    EXPECT_EQ(sums[0] + sums[1], acquired);
    for (AsyncLock& lock : locks) EXPECT_TRUE(lock.try_lock());
}

}  // namespace
