// SPDX-License-Identifier: MIT
#include <array>
#include <atomic>
#include <chrono>
#include <random>
#include <stop_token>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/scale.hpp"

namespace {

using namespace std::chrono_literals;
using futon::WaitResult;

/// How many waits ended in each way.
using Tally = std::array<std::atomic<std::uint64_t>, 4>;

void count(Tally& tally, WaitResult result) {
    ++tally[static_cast<std::size_t>(result)];
}

/// A deadline that is due within the time of a few notifies, or never.
futon::Deadline some_deadline(std::mt19937& random) {
    const auto choice = random() % 4;
    return choice == 0 ? futon::Deadline::never() : futon::Deadline(std::chrono::microseconds(random() % 300));
}

TEST(NotifyStress, TotalCountEqualsTheNumberOfOkResultsUnderTimeoutsAndStops) {
    constexpr int thread_count = 8;
    constexpr int promise_count = 1000;
    const int rounds = futon::test::scaled(200);
    std::atomic<int> word{0};
    Tally tally{};
    std::atomic<std::uint64_t> notified{0};
    std::atomic<int> running{thread_count + 1};
    std::stop_source stop;

    {
        std::vector<std::jthread> threads;
        for (unsigned seed = 0; seed < thread_count; ++seed)
            threads.emplace_back([&, seed] {
                std::mt19937 random(seed);
                for (int i = 0; i < rounds * 20; ++i) {
                    std::stop_source own;
                    const bool stops = random() % 4 == 0;
                    if (stops) own.request_stop();
                    count(tally,
                          futon::wait(word, 0, {some_deadline(random), stops ? own.get_token() : stop.get_token()}));
                }
                --running;
            });
        threads.emplace_back([&] {
            futon::EventLoop loop;
            std::mt19937 random(99);
            for (int i = 0; i < rounds; ++i) {
                std::stop_source own;
                for (int k = 0; k < promise_count; ++k) {
                    futon::WaitAsyncResult result = futon::wait_async(
                        word, 0, {some_deadline(random), k % 3 == 0 ? own.get_token() : stop.get_token()});
                    if (result.async()) {
                        (void)result.promise().then([&](WaitResult settled) { count(tally, settled); });
                    } else {
                        count(tally, result.value());
                    }
                    if (k == promise_count / 2) own.request_stop();
                }
                loop.run();
            }
            --running;
        });
        for (unsigned seed = 0; seed < 2; ++seed)
            threads.emplace_back([&, seed] {
                std::mt19937 random(1000 + seed);
                while (running > 0) {
                    const std::size_t how_many = random() % 8 == 0 ? futon::everyone : random() % 16;
                    notified += futon::notify(word, how_many);
                    std::this_thread::yield();
                }
            });
    }

    EXPECT_EQ(notified, tally[static_cast<std::size_t>(WaitResult::ok)]);
    EXPECT_EQ(tally[static_cast<std::size_t>(WaitResult::not_equal)], 0u);
    EXPECT_EQ(tally[0] + tally[1] + tally[2] + tally[3],
              static_cast<std::uint64_t>(rounds) * (thread_count * 20 + promise_count));
    EXPECT_EQ(futon::core::process_table().count(&word), 0u);
}

TEST(NotifyStress, ExactlyOneOfNotifyTimeoutAndStopEndsAWait) {
    std::atomic<int> word{0};
    futon::EventLoop loop;

    for (int round = 0; round < futon::test::scaled(5000); ++round) {
        std::stop_source stop;
        std::atomic<int> arrived{0};
        std::size_t notified = 0;
        int settled = 0;
        int ok = 0;
        auto wait = [&]() -> futon::Promise<void> {
            const WaitResult result =
                co_await futon::wait_async(word, 0, {std::chrono::microseconds(20), stop.get_token()});
            ++settled;
            ok += result == WaitResult::ok;
        };
        const futon::Promise<void> waiting = wait();
        auto meet = [&] {
            ++arrived;
            while (arrived < 2) {
            }
        };
        {
            std::jthread notifier([&] { meet(), notified = futon::notify(word); });
            std::jthread stopper([&] { meet(), stop.request_stop(); });
            loop.run();
        }

        ASSERT_EQ(settled, 1);
        ASSERT_EQ(static_cast<std::size_t>(ok), notified);
    }
}

}  // namespace
