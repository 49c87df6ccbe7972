// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using futon::EventLoop;
using futon::wait_async;

TEST(EventLoop, RunsTimedFunctionsNoEarlierThanTheirDeadlines) {
    EventLoop loop;
    const auto begin = Clock::now();
    std::vector<bool> on_time;
    for (const auto delay : {1us, 500us, 1000us, 5000us})
        loop.post_after(delay, [&, delay] { on_time.push_back(Clock::now() - begin >= delay); });

    loop.run();

    EXPECT_EQ(on_time, std::vector<bool>(4, true));
}

TEST(EventLoop, RunsTimedFunctionsInDeadlineOrder) {
    EventLoop loop;
    std::vector<int> order;
    const auto begin = Clock::now();
    for (const int i : {3, 1, 4, 0, 2}) loop.post_at(begin + i * 200us, [&, i] { order.push_back(i); });

    loop.run();

    EXPECT_EQ(order, (std::vector{0, 1, 2, 3, 4}));
}

TEST(EventLoop, RunsTimedFunctionsOfOneDeadlineInFifoOrder) {
    EventLoop loop;
    std::vector<int> order;
    const auto deadline = Clock::now() + 1ms;
    for (const int i : {0, 1, 2, 3}) loop.post_at(deadline, [&, i] { order.push_back(i); });

    loop.run();

    EXPECT_EQ(order, (std::vector{0, 1, 2, 3}));
}

TEST(EventLoop, RunsADueTimedFunctionOnTheLoop) {
    EventLoop loop;
    bool has_run = false;
    loop.post_after(0ms, [&] { has_run = true; });
    const bool ran_in_post_at = has_run;

    loop.run();

    EXPECT_FALSE(ran_in_post_at);
    EXPECT_TRUE(has_run);
}

TEST(EventLoop, RunsJobsBetweenTimedFunctionsThatRepostThemselves) {
    EventLoop loop;
    bool has_run = false;
    struct RepostingFunction {
        EventLoop& loop;
        bool& has_run;
        void operator()() const {
            if (!has_run) loop.post_after(0ms, *this);
        }
    };
    loop.post_after(0ms, RepostingFunction{loop, has_run});
    loop.post([&] { loop.post([&] { has_run = true; }); });

    loop.run();

    EXPECT_TRUE(has_run);
}

TEST(EventLoop, AcceptsAMoveOnlyTimedFunction) {
    EventLoop loop;
    int value = 0;
    loop.post_after(0ms, [&, held = std::make_unique<int>(7)] { value = *held; });

    loop.run();

    EXPECT_EQ(value, 7);
}

TEST(EventLoop, SettlesWaitsInDeadlineOrder) {
    EventLoop loop;
    std::atomic<int> cell{0};
    std::vector<int> order;
    // Again if this machine was so slow that a deadline had passed when its wait began.
    for (auto first = Clock::time_point::min(); Clock::now() >= first;) {
        loop.run();
        order.clear();
        first = Clock::now() + 50ms;
        for (const int i : {2, 0, 1}) {
            futon::WaitAsyncResult answer = wait_async(cell, 0, first + i * 200us);
            if (!answer.async()) continue;
            static_cast<void>(answer.promise().then([&, i](futon::WaitResult) { order.push_back(i); }));
        }
    }

    loop.run();

    EXPECT_EQ(order, (std::vector{0, 1, 2}));
}

TEST(EventLoop, RunsManyTimedFunctionsInDeadlineOrder) {
    EventLoop loop;
    constexpr int timers = 20'000;
    int fired = 0;
    bool ordered = true;
    Clock::time_point latest{};
    const auto begin = Clock::now();
    for (int i = 0; i < timers; ++i) {
        const auto deadline = begin + (i * 7919 % timers) * 1us;
        loop.post_at(deadline, [&, deadline] {
            ++fired;
            ordered = ordered && deadline + 1024ns >= latest && Clock::now() >= deadline;
            latest = std::max(latest, deadline);
        });
    }

    loop.run();

    EXPECT_EQ(fired, timers);
    EXPECT_TRUE(ordered);
}

TEST(EventLoop, RunsTimedFunctionsPostedAfterARun) {
    EventLoop loop;
    loop.run();
    bool has_run = false;
    loop.post_after(1ms, [&] { has_run = true; });

    loop.run();

    EXPECT_TRUE(has_run);
}

}  // namespace
