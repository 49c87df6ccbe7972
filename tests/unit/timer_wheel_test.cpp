// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <futon/core/loop/timer_wheel.hpp>

#include "support/gtest.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Timer;
using futon::core::TimerWheel;
using TimePoint = TimerWheel::TimePoint;

constexpr TimePoint epoch{1'000'000s};  // a clock that only the test moves
constexpr auto tick = 1024ns;

class Alarm final : public Timer {
public:
    explicit Alarm(std::function<void()> action) : action_(std::move(action)) {}

    void fire() noexcept override { action_(); }

private:
    std::function<void()> action_;
};

TEST(TimerWheel, HasNoNextTimePointWhenEmpty) {
    const TimerWheel wheel(epoch);

    EXPECT_EQ(wheel.next_deadline(), TimePoint::max());
}

TEST(TimerWheel, FiresNothingWhenEmpty) {
    TimerWheel wheel(epoch);

    EXPECT_FALSE(wheel.advance(epoch + 1h));
}

TEST(TimerWheel, FiresADueTimerOnce) {
    TimerWheel wheel(epoch);
    int fired = 0;
    Alarm alarm([&] { ++fired; });
    wheel.arm(alarm, epoch + 1ms);

    EXPECT_TRUE(wheel.advance(epoch + 2ms));
    EXPECT_FALSE(wheel.advance(epoch + 4ms));

    EXPECT_EQ(fired, 1);
}

TEST(TimerWheel, FiresNotEarlyAndAtMostOneTickLate) {
    for (const auto delay : {1ns, 1023ns, 1024ns, 1025ns, 65'535ns, 65'536ns, 65'537ns, 4'194'304ns, 1'000'000'007ns}) {
        TimerWheel wheel(epoch);
        bool has_fired = false;
        Alarm alarm([&] { has_fired = true; });
        wheel.arm(alarm, epoch + delay);

        wheel.advance(epoch + delay - 1ns);
        EXPECT_FALSE(has_fired) << delay.count();
        wheel.advance(epoch + delay + tick);
        EXPECT_TRUE(has_fired) << delay.count();
    }
}

TEST(TimerWheel, FiresInDeadlineOrder) {
    TimerWheel wheel(epoch);
    std::vector<int> order;
    std::vector<std::unique_ptr<Alarm>> alarms;
    for (const int i : {5, 1, 4, 0, 3, 2}) {
        alarms.push_back(std::make_unique<Alarm>([&, i] { order.push_back(i); }));
        wheel.arm(*alarms.back(), epoch + i * 700us);
    }

    wheel.advance(epoch + 1s);

    EXPECT_EQ(order, (std::vector{0, 1, 2, 3, 4, 5}));
}

TEST(TimerWheel, FiresTimersOfOneDeadlineInTheOrderArmed) {
    TimerWheel wheel(epoch);
    std::vector<int> order;
    std::vector<std::unique_ptr<Alarm>> alarms;
    for (const int i : {0, 1, 2, 3}) {
        alarms.push_back(std::make_unique<Alarm>([&, i] { order.push_back(i); }));
        wheel.arm(*alarms.back(), epoch + 1h);
    }

    wheel.advance(epoch + 2h);

    EXPECT_EQ(order, (std::vector{0, 1, 2, 3}));
}

TEST(TimerWheel, DoesNotFireADisarmedTimer) {
    TimerWheel wheel(epoch);
    int fired = 0;
    Alarm first([&] { fired += 1; });
    Alarm middle([&] { fired += 10; });
    Alarm last([&] { fired += 100; });
    for (Alarm* alarm : {&first, &middle, &last}) wheel.arm(*alarm, epoch + 1ms);

    wheel.disarm(middle);
    wheel.advance(epoch + 1s);

    EXPECT_EQ(fired, 101);
}

TEST(TimerWheel, IsEmptyOnceAllTimersAreDisarmed) {
    TimerWheel wheel(epoch);
    Alarm soon([] {});
    Alarm late([] {});
    wheel.arm(soon, epoch + 1ms);
    wheel.arm(late, epoch + 24h);

    wheel.disarm(soon);
    wheel.disarm(late);

    EXPECT_EQ(wheel.next_deadline(), TimePoint::max());
}

TEST(TimerWheel, FiresATimerAgainWhenItIsArmedAgain) {
    TimerWheel wheel(epoch);
    int fired = 0;
    Alarm alarm([&] { ++fired; });

    for (int i = 1; i <= 5; ++i) {
        wheel.arm(alarm, epoch + i * 1ms);
        wheel.advance(epoch + i * 1ms + tick);
    }

    EXPECT_EQ(fired, 5);
}

TEST(TimerWheel, ArmDoesNotFireATimerWhoseDeadlineHasPassed) {
    TimerWheel wheel(epoch);
    bool has_fired = false;
    Alarm alarm([&] { has_fired = true; });

    wheel.arm(alarm, epoch - 1h);
    const bool fired_in_arm = has_fired;
    wheel.advance(epoch + 2 * tick);

    EXPECT_FALSE(fired_in_arm);
    EXPECT_TRUE(has_fired);
}

TEST(TimerWheel, DefersATimerArmedWhileFiringToTheNextAdvance) {
    TimerWheel wheel(epoch);
    int fired = 0;
    std::unique_ptr<Alarm> alarm;
    alarm = std::make_unique<Alarm>([&] {
        ++fired;
        wheel.arm(*alarm, epoch);
    });
    wheel.arm(*alarm, epoch);

    wheel.advance(epoch + 1ms);
    const int after_first = fired;
    wheel.advance(epoch + 2ms);

    EXPECT_EQ(after_first, 1);
    EXPECT_EQ(fired, 2);
}

TEST(TimerWheel, ATimerMayDisarmAnotherDueTimer) {
    TimerWheel wheel(epoch);
    bool has_fired = false;
    Alarm disarmed([&] { has_fired = true; });
    Alarm disarming([&] { wheel.disarm(disarmed); });
    wheel.arm(disarming, epoch + 1ms);
    wheel.arm(disarmed, epoch + 1ms);

    wheel.advance(epoch + 1s);

    EXPECT_FALSE(has_fired);
}

TEST(TimerWheel, ATimerMayDestroyItself) {
    TimerWheel wheel(epoch);
    bool has_fired = false;
    struct SelfDestroyingTimer final : Timer {
        explicit SelfDestroyingTimer(bool& flag) : has_fired(&flag) {}
        void fire() noexcept override {
            *has_fired = true;
            delete this;
        }
        bool* has_fired;
    };
    wheel.arm(*new SelfDestroyingTimer(has_fired), epoch + 1ms);

    wheel.advance(epoch + 2ms);

    EXPECT_TRUE(has_fired);
}

TEST(TimerWheel, ATimerMayAdvanceTheWheel) {
    TimerWheel wheel(epoch);
    std::vector<int> order;
    Alarm second([&] { order.push_back(2); });
    Alarm first([&] {
        order.push_back(1);
        wheel.advance(epoch + 1h);
        order.push_back(3);
    });
    wheel.arm(first, epoch + 1ms);
    wheel.arm(second, epoch + 2ms);

    wheel.advance(epoch + 1ms + tick);

    EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

TEST(TimerWheel, FiresTimersOfAllLevelsInDeadlineOrder) {
    TimerWheel wheel(epoch);
    std::vector<std::unique_ptr<Alarm>> alarms;
    std::size_t fired = 0;
    for (unsigned bits = 0; bits < 62; ++bits) {
        alarms.push_back(std::make_unique<Alarm>([&, bits] {
            EXPECT_EQ(fired, bits);
            ++fired;
        }));
        wheel.arm(*alarms.back(), epoch + std::chrono::nanoseconds((std::int64_t{1} << bits) + bits * 2048));
    }

    while (wheel.next_deadline() != TimePoint::max()) {
        const TimePoint next = wheel.next_deadline();
        wheel.advance(next);
    }

    EXPECT_EQ(fired, alarms.size());
}

TEST(TimerWheel, NextTimePointIsInTheFutureForTheLatestDeadlines) {
    for (const TimePoint deadline : {TimePoint::max(), TimePoint::max() - 1ns, TimePoint::max() - 5us}) {
        TimerWheel wheel(epoch);
        Alarm alarm([] {});

        wheel.arm(alarm, deadline);

        EXPECT_GT(wheel.next_deadline(), epoch);
        wheel.disarm(alarm);
    }
}

TEST(TimerWheel, NextTimePointIsNoLaterThanTheEarliestDeadline) {
    TimerWheel wheel(epoch);
    Alarm soon([] {});
    Alarm late([] {});
    wheel.arm(late, epoch + 1h);
    wheel.arm(soon, epoch + 1s);

    EXPECT_LE(wheel.next_deadline(), epoch + 1s + tick);
    EXPECT_GE(wheel.next_deadline(), epoch);
    wheel.disarm(soon);
    EXPECT_LE(wheel.next_deadline(), epoch + 1h + tick);
    wheel.disarm(late);
}

TEST(TimerWheel, PopAnyReturnsAllArmedTimers) {
    TimerWheel wheel(epoch);
    std::vector<std::unique_ptr<Alarm>> alarms;
    for (int i = 0; i < 10; ++i) {
        alarms.push_back(std::make_unique<Alarm>([] {}));
        wheel.arm(*alarms.back(), epoch + i * i * 100ms);
    }

    int count = 0;
    while (wheel.pop_any() != nullptr) ++count;

    EXPECT_EQ(count, 10);
}

}  // namespace
