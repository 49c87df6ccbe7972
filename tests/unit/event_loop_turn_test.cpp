// SPDX-License-Identifier: MIT
// A timer that is due is a job among jobs.
#include <chrono>
#include <functional>
#include <stdexcept>
#include <vector>

#include <futon/core/loop/loop_executor.hpp>
#include <futon/core/loop/timer_wheel.hpp>
#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using futon::EventLoop;
using futon::test::until_after;

/// A loop with many timers that are due at once.
class DueTimers : public testing::Test {
protected:
    template <class F>
    void arm(int count, F f) {
        for (int i = 0; i < count; ++i) loop.post_at(deadline, [f, i] { f(i); });
    }

    void until_due() const { until_after(deadline + 10us); }

    const Clock::time_point deadline = Clock::now();
    EventLoop loop;
    int fired = 0;
};

TEST_F(DueTimers, AStopEndsTheRunBeforeTheNextTimer) {
    arm(1000, [&](int) {
        ++fired;
        loop.stop();
    });
    until_due();

    loop.run();
    EXPECT_EQ(fired, 1);
    loop.run();

    EXPECT_EQ(fired, 2);
}

TEST_F(DueTimers, AnExceptionLeavesRunBeforeTheNextTimer) {
    arm(1000, [&](int) {
        ++fired;
        throw std::runtime_error("broken");
    });
    until_due();

    EXPECT_THROW(loop.run(), std::runtime_error);

    EXPECT_EQ(fired, 1);
}

TEST_F(DueTimers, AnExceptionLeavesPollBeforeTheNextTimer) {
    arm(3, [&](int) {
        ++fired;
        throw std::runtime_error("broken");
    });
    until_due();

    for (int polls = 1; polls <= 3; ++polls) {
        EXPECT_THROW(loop.poll(), std::runtime_error);
        EXPECT_EQ(fired, polls);
    }
    EXPECT_FALSE(loop.poll());
}

TEST_F(DueTimers, RunUntilReturnsBeforeTheNextTimer) {
    auto [promise, source] = futon::make_promise<int>();
    arm(1000, [&, settle = &source](int i) {
        ++fired;
        if (i == 0) settle->fulfil(7);
    });
    until_due();

    EXPECT_EQ(loop.run_until(promise), 7);

    EXPECT_LE(fired, 2);  // the promise's reaction is a job, and may come after one more timer
}

TEST_F(DueTimers, AJobDoesNotWaitForAllOfThem) {
    std::vector<int> fired_before;
    arm(200, [&](int i) {
        ++fired;
        if (i == 0) loop.post([&] { fired_before.push_back(fired); });
    });
    loop.post([&] { fired_before.push_back(fired); });
    until_due();

    loop.run();

    ASSERT_EQ(fired_before.size(), 2u);
    EXPECT_LE(fired_before[0], 1);
    EXPECT_LE(fired_before[1], 3);
    EXPECT_EQ(fired, 200);
}

TEST_F(DueTimers, AreNotStarvedByJobsThatPostThemselves) {
    constexpr int timers = 50;
    int runs = 0;
    arm(timers, [&](int) { ++fired; });
    std::function<void()> again = [&] {
        ++runs;
        if (fired < timers && runs < 100 * timers) loop.post(again);
    };
    loop.post(again);
    until_due();

    loop.run();

    EXPECT_LE(runs, timers + 2);
}

TEST_F(DueTimers, ATimerOfAPollThatIsArmedAgainWaitsForTheNextPoll) {
    arm(1, [&](int) {
        ++fired;
        loop.post_at(deadline, [&] { ++fired; });
    });
    until_due();

    EXPECT_TRUE(loop.poll());
    EXPECT_EQ(fired, 1);
    until_after(Clock::now() + 10us);
    EXPECT_TRUE(loop.poll());

    EXPECT_EQ(fired, 2);
}

TEST_F(DueTimers, ANestedPollFiresTheRest) {
    std::vector<int> order;
    arm(3, [&](int i) {
        order.push_back(i);
        if (i == 0) {
            loop.poll();
            order.push_back(10);
        }
    });
    until_due();

    loop.run();

    EXPECT_EQ(order, (std::vector{0, 1, 2, 10}));
}

TEST(LoopExecutor, IsWokenForTimersThatAnExceptionCameBefore) {
    int wakes = 0;
    futon::core::LoopExecutor executor([&]() noexcept { ++wakes; });
    const auto deadline = Clock::now();
    for (int i = 0; i < 2; ++i) executor.post_at(deadline, [] { throw std::runtime_error("broken"); });
    until_after(deadline + 10us);
    wakes = 0;

    EXPECT_THROW(executor.poll(), std::runtime_error);

    EXPECT_GE(wakes, 1);
    EXPECT_THROW(executor.poll(), std::runtime_error);
    EXPECT_FALSE(executor.poll());
}

/// A timer that counts.
struct CountedTimer final : futon::Timer {
    explicit CountedTimer(int& count) : fired(count) {}
    void fire() noexcept override { ++fired; }
    int& fired;
};

TEST(TimerWheel, PopDueReturnsOneDueTimerAtATime) {
    const Clock::time_point epoch{1'000'000s};
    futon::core::TimerWheel wheel(epoch);
    int fired = 0;
    CountedTimer first(fired);
    CountedTimer second(fired);
    CountedTimer later(fired);
    wheel.arm(second, epoch + 2ms);
    wheel.arm(first, epoch + 1ms);
    wheel.arm(later, epoch + 1h);
    const bool had_due_before = wheel.may_have_due();

    wheel.set_time(epoch + 3ms);

    EXPECT_FALSE(had_due_before);
    EXPECT_TRUE(wheel.may_have_due());
    EXPECT_EQ(wheel.pop_due(), &first);
    EXPECT_EQ(wheel.pop_due(), &second);
    EXPECT_EQ(wheel.pop_due(), nullptr);
    EXPECT_FALSE(wheel.may_have_due());
    EXPECT_EQ(fired, 0);
    wheel.disarm(later);
}

}  // namespace
