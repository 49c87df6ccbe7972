// SPDX-License-Identifier: MIT
// A time limit counts from each call that it is given to; a deadline does not move, and is compared as a time point is.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <type_traits>

#include <futon/atomics.hpp>
#include <futon/time_limit.hpp>

#include "support/gtest.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Deadline;
using futon::TimeLimit;
using futon::WaitResult;
using Clock = std::chrono::steady_clock;

struct Options {
    TimeLimit timeout = 1h;
};

void let_the_clock_go_on() {
    const Clock::time_point now = Clock::now();
    while (Clock::now() == now) {
    }
}

TEST(TimeLimit, OfADurationCountsFromEachCall) {
    const Options options;
    const Deadline first = options.timeout.deadline();
    let_the_clock_go_on();

    const Clock::time_point before = Clock::now();
    const Deadline second = options.timeout.deadline();

    EXPECT_GT(second, first);
    EXPECT_GE(second.time_point(), before + 1h);
}

TEST(TimeLimit, OfADeadlineDoesNotMove) {
    const Deadline deadline(1h);
    const TimeLimit limit = deadline;
    let_the_clock_go_on();

    EXPECT_EQ(limit.deadline(), deadline);
}

TEST(TimeLimit, TakesTimePointsOfTheSteadyClockInAnyUnit) {
    const Clock::time_point now = Clock::now();

    EXPECT_EQ(TimeLimit(now).deadline().time_point(), now);
    EXPECT_GE(TimeLimit(now + 1.5s).deadline().time_point(), now + 1500ms);
    EXPECT_LE(TimeLimit(now + 1.5s).deadline().time_point(), now + 1501ms);
}

TEST(TimeLimit, GivesUpAtOnceAfterNoTime) {
    for (const TimeLimit limit : {TimeLimit(0ns), TimeLimit(-1h), TimeLimit(-1.5s)}) {
        EXPECT_TRUE(limit.deadline().is_due());
    }
}

TEST(TimeLimit, IsNoneForWhatIsTooLongForTheClock) {
    const std::chrono::duration<double> infinite(std::numeric_limits<double>::infinity());
    const std::chrono::duration<double> not_a_number(std::numeric_limits<double>::quiet_NaN());

    EXPECT_TRUE(TimeLimit(infinite).deadline().is_never());
    EXPECT_TRUE(TimeLimit(not_a_number).deadline().is_never());
    EXPECT_TRUE(TimeLimit(std::chrono::hours::max()).deadline().is_never());
    EXPECT_TRUE(TimeLimit(std::chrono::nanoseconds::max()).deadline().is_never());
    EXPECT_TRUE(TimeLimit(Deadline::never()).deadline().is_never());
}

TEST(TimeLimit, OfAMemberLimitsEachWait) {
    std::atomic<int> word{0};
    struct {
        TimeLimit timeout = 1ms;
    } const options;

    for (int i = 0; i < 3; ++i) {
        const Clock::time_point begin = Clock::now();
        EXPECT_EQ(futon::wait(word, 0, options.timeout), WaitResult::timed_out);
        EXPECT_GE(Clock::now() - begin, 1ms);
    }
}

TEST(Deadline, IsNotMadeOfADurationByAccident) {
    EXPECT_FALSE((std::is_convertible_v<std::chrono::milliseconds, Deadline>));
    EXPECT_TRUE((std::is_constructible_v<Deadline, std::chrono::milliseconds>));
    EXPECT_TRUE((std::is_convertible_v<std::chrono::milliseconds, TimeLimit>));
}

TEST(Deadline, IsMadeOfSteadyTimePointsInAnyUnit) {
    const Clock::time_point now = Clock::now();
    const Deadline deadline = now + 1.5s;

    EXPECT_GE(deadline.time_point(), now + 1500ms);
    EXPECT_LE(deadline.time_point(), now + 1501ms);
}

TEST(Deadline, IsOrderedByTime) {
    const Deadline sooner(1h);
    const Deadline later(2h);

    EXPECT_LT(sooner, later);
    EXPECT_LT(Deadline(0ns), sooner);
    EXPECT_EQ(std::min(later, sooner), sooner);
    EXPECT_EQ(std::max(sooner, Deadline::never()), Deadline::never());
}

}  // namespace
