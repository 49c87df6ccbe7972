// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include <futon/core/loop/timer_wheel.hpp>

#include "support/gtest.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Timer;
using futon::core::TimerWheel;
using TimePoint = TimerWheel::TimePoint;

constexpr auto granularity = 1024ns;

/// A wheel beside a sorted map, which must fire the same timers; the clock is driven by the test.
class WheelAndModel {
public:
    /// Each advance of the wheel does so much.
    explicit WheelAndModel(unsigned seed, std::size_t work = TimerWheel::usual_work)
        : random_(seed), work_(work), alarms_(200) {
        for (Alarm& alarm : alarms_) alarm.owner = this;
    }
    ~WheelAndModel() {
        while (wheel_.pop_any() != nullptr) {
        }
    }

    void step() {
        switch (random_() % 4) {
            case 0:
            case 1:
                return arm_one();
            case 2:
                return disarm_one();
            default:
                return advance();
        }
    }

private:
    struct Alarm final : Timer {
        void fire() noexcept override { owner->fired(*this); }

        WheelAndModel* owner = nullptr;
        TimePoint deadline;
        bool is_armed = false;
    };

    /// From nanoseconds to years, all magnitudes alike.
    std::chrono::nanoseconds span() {
        const auto bits = random_() % 56;
        return std::chrono::nanoseconds(static_cast<std::int64_t>(random_() & ((std::uint64_t{1} << bits) - 1)));
    }

    Alarm& any() { return alarms_[static_cast<std::size_t>(random_() % alarms_.size())]; }

    void arm_one() {
        Alarm& alarm = any();
        if (alarm.is_armed) return;
        alarm.deadline = now_ + span() - 1us;
        alarm.is_armed = true;
        wheel_.arm(alarm, alarm.deadline);
        model_.emplace(alarm.deadline, &alarm);
    }

    void disarm_one() {
        Alarm& alarm = any();
        if (!alarm.is_armed) return;
        wheel_.disarm(alarm);
        forget(alarm);
    }

    void advance() {
        now_ += random_() % 2 == 0 ? span() % 1'000'000 : span() / 64;
        latest_ = TimePoint::min();
        // Between the parts of its work other things happen, of which some come first for the wheel.
        while (wheel_.advance(now_, work_) && work_ < alarms_.size()) {
            EXPECT_TRUE(model_.empty() || model_.begin()->first + 2 * granularity > now_ ||
                        wheel_.next_deadline() <= now_);
            if (random_() % 4 == 0) arm_one();
            if (random_() % 4 == 0) disarm_one();
        }

        // All timers that were due more than two ticks ago have fired, and the wheel sleeps past none of the others.
        if (model_.empty()) {
            EXPECT_EQ(wheel_.next_deadline(), TimePoint::max());
        } else {
            EXPECT_GT(model_.begin()->first + 2 * granularity, now_);
            EXPECT_LE(wheel_.next_deadline(), std::max(now_, model_.begin()->first) + 2 * granularity);
        }
    }

    void fired(Alarm& alarm) {
        EXPECT_LE(alarm.deadline, now_);
        EXPECT_TRUE(work_ < alarms_.size() || alarm.deadline + 2 * granularity >= latest_);
        latest_ = std::max(latest_, alarm.deadline);
        forget(alarm);
    }

    void forget(Alarm& alarm) {
        alarm.is_armed = false;
        auto [entry, end] = model_.equal_range(alarm.deadline);
        while (entry != end && entry->second != &alarm) ++entry;
        ASSERT_NE(entry, end) << "a timer fired that was not armed";
        model_.erase(entry);
    }

    std::mt19937_64 random_;
    const std::size_t work_;
    std::vector<Alarm> alarms_;
    std::multimap<TimePoint, Alarm*> model_;
    TimePoint now_{1'000'000s};
    TimePoint latest_;
    TimerWheel wheel_{now_};
};

TEST(TimerWheel, FiresTheSameTimersAsASortedMap) {
    for (unsigned seed = 1; seed <= 40; ++seed) {
        WheelAndModel both(seed);
        for (int i = 0; i < 2000; ++i) both.step();
        if (testing::Test::HasFailure()) FAIL() << "with seed " << seed;
    }
}

TEST(TimerWheel, FiresTheSameTimersAsASortedMapAlsoAFewAtATime) {
    for (unsigned seed = 1; seed <= 40; ++seed) {
        WheelAndModel both(seed, seed % 4 + 1);
        for (int i = 0; i < 2000; ++i) both.step();
        if (testing::Test::HasFailure()) FAIL() << "with seed " << seed;
    }
}

}  // namespace
