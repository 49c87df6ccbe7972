// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include <futon/core/loop/timer_wheel.hpp>

#include "support/gtest.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Timer;
using futon::core::TimerWheel;
using TimePoint = TimerWheel::TimePoint;

constexpr TimePoint beginning{1'000'000s};  // a clock that only the test moves
constexpr std::size_t work = 100;           // of an advance
constexpr std::size_t many = 20 * work;

struct NumberedAlarm final : Timer {
    void fire() noexcept override {
        fired_at = *now;
        order->push_back(number);
    }

    const TimePoint* now = nullptr;
    std::vector<std::size_t>* order = nullptr;
    std::size_t number = 0;
    TimePoint fired_at;
};

/// A wheel with more timers than an advance works on.
class TimerWheelWork : public testing::Test {
protected:
    TimerWheelWork() {
        for (std::size_t i = 0; i < alarms.size(); ++i) {
            alarms[i].now = &now;
            alarms[i].order = &order;
            alarms[i].number = i;
        }
    }
    ~TimerWheelWork() override {
        while (wheel.pop_any() != nullptr) {
        }
    }

    /// Advances until nothing is due. Returns how many calls it took.
    std::size_t advance_to(TimePoint time) {
        now = time;
        std::size_t calls = 1;
        while (wheel.advance(now, work)) ++calls;
        return calls;
    }

    TimePoint now = beginning;
    std::vector<std::size_t> order;
    std::vector<NumberedAlarm> alarms = std::vector<NumberedAlarm>(many);
    TimerWheel wheel{beginning};
};

TEST_F(TimerWheelWork, AnAdvanceFiresNoMoreThanItsWork) {
    for (NumberedAlarm& alarm : alarms) wheel.arm(alarm, beginning + 10s);
    advance_to(beginning + 10s - 1ms);

    now = beginning + 11s;
    for (std::size_t before = 0; before < many; before = order.size()) {
        EXPECT_LE(wheel.next_deadline(), now) << "there is work left";
        EXPECT_TRUE(wheel.advance(now, work));
        ASSERT_LE(order.size(), before + work);
    }

    EXPECT_FALSE(wheel.advance(now, work));
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end())) << "not in the order of arming";
}

TEST_F(TimerWheelWork, AnAdvanceMovesNoMoreThanItsWork) {
    for (std::size_t i = 0; i < many; ++i) wheel.arm(alarms[i], beginning + 100s + i * 1ms);

    // All lie in few slots, which are moved down when their time comes.
    const std::size_t calls = advance_to(beginning + 99s) + advance_to(beginning + 100s - 1ms);

    EXPECT_GE(calls, many / work);
    EXPECT_TRUE(order.empty());
}

TEST_F(TimerWheelWork, AShortTimerIsNotLateWhileManyLongOnesAreMovedAndFired) {
    NumberedAlarm& heartbeat = alarms.back();
    std::vector<std::size_t> beats;
    heartbeat.order = &beats;
    for (std::size_t i = 0; i + 1 < many; ++i) wheel.arm(alarms[i], beginning + 10s);

    // Each step of 1 ms has one advance, so that the others take many steps.
    for (int beat = 0; beat < 1200; ++beat) {
        const TimePoint due = now + 9ms;
        wheel.arm(heartbeat, due);
        while (now < due + 1ms) wheel.advance(now += 1ms, work);
        ASSERT_EQ(beats.size(), static_cast<std::size_t>(beat + 1)) << "late at " << (now - beginning) / 1ms << " ms";
    }

    EXPECT_EQ(order.size(), many - 1);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_F(TimerWheelWork, TimersThatAreArmedWhileOthersMoveStandBehindThoseOfTheirTime) {
    for (std::size_t i = 0; i < many / 2; ++i) wheel.arm(alarms[i], beginning + 100s);
    now = beginning + 90s;
    for (std::size_t i = many / 2; i < many; ++i) {
        if (i % 10 == 0) wheel.advance(now, work);
        wheel.arm(alarms[i], beginning + 100s);
    }

    advance_to(beginning + 101s);

    ASSERT_EQ(order.size(), many);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST_F(TimerWheelWork, TimersMayBeDisarmedWhileTheirSlotMoves) {
    for (NumberedAlarm& alarm : alarms) wheel.arm(alarm, beginning + 100s);
    now = beginning + 90s;
    wheel.advance(now, work);

    for (NumberedAlarm& alarm : alarms) wheel.disarm(alarm);
    EXPECT_TRUE(wheel.is_empty());
    for (NumberedAlarm& alarm : alarms) wheel.arm(alarm, beginning + 200s);
    advance_to(beginning + 199s);
    EXPECT_TRUE(order.empty());
    advance_to(beginning + 201s);

    EXPECT_EQ(order.size(), many);
}

}  // namespace
