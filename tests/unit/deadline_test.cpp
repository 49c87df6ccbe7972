// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>

#include <futon/deadline.hpp>

#include "support/gtest.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Deadline;
using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;
using Wide = std::chrono::duration<long double, std::nano>;

template <class Rep, class Period = std::ratio<1>>
using Duration = std::chrono::duration<Rep, Period>;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Whether a deadline made of `wait` is no earlier than it may be, by arithmetic that rounds nothing away.
template <class D>
bool is_never_early(D wait) {
    const TimePoint before = Clock::now();
    const Deadline deadline(wait);
    if (deadline.is_never()) return true;
    return Wide(deadline.time_point() - before).count() >= Wide(wait).count();
}

TEST(Deadline, NeverIsNotDue) {
    EXPECT_TRUE(Deadline::never().is_never());
    EXPECT_FALSE(Deadline::never().is_due());
}

TEST(Deadline, KeepsItsTimePoint) {
    const TimePoint time_point = Clock::now() + 1h;

    EXPECT_EQ(Deadline(time_point).time_point(), time_point);
}

TEST(Deadline, IsDueAtItsTimePoint) {
    EXPECT_TRUE(Deadline(Clock::now()).is_due());
    EXPECT_FALSE(Deadline(Clock::now() + 1h).is_due());
}

TEST(Deadline, OfTheLastTimePointIsNever) {
    EXPECT_TRUE(Deadline(TimePoint::max()).is_never());
}

TEST(Deadline, OfTheFirstTimePointIsDue) {
    EXPECT_TRUE(Deadline(TimePoint::min()).is_due());
}

TEST(Deadline, OfZeroIsDue) {
    EXPECT_TRUE(Deadline(0ns).is_due());
    EXPECT_TRUE(Deadline(Duration<double>(0.0)).is_due());
    EXPECT_TRUE(Deadline(Duration<double>(-0.0)).is_due());
}

TEST(Deadline, OfANegativeDurationIsDue) {
    EXPECT_TRUE(Deadline(-1ns).is_due());
    EXPECT_TRUE(Deadline(std::chrono::hours::min()).is_due());
    EXPECT_TRUE(Deadline(std::chrono::nanoseconds::min()).is_due());
    EXPECT_TRUE(Deadline(Duration<double>(-1e-30)).is_due());
    EXPECT_TRUE(Deadline(Duration<double>(-1e300)).is_due());
}

TEST(Deadline, OfMinusInfinityIsDue) {
    EXPECT_TRUE(Deadline(Duration<double>(-infinity)).is_due());
}

TEST(Deadline, OfInfinityIsNever) {
    EXPECT_TRUE(Deadline(Duration<double>(infinity)).is_never());
    EXPECT_TRUE(Deadline(Duration<float, std::milli>(std::numeric_limits<float>::infinity())).is_never());
}

TEST(Deadline, OfNanIsNever) {
    EXPECT_TRUE(Deadline(Duration<double, std::milli>(std::numeric_limits<double>::quiet_NaN())).is_never());
    EXPECT_TRUE(Deadline(Duration<float>(std::numeric_limits<float>::quiet_NaN())).is_never());
}

TEST(Deadline, OfAHugeFloatingDurationIsNever) {
    EXPECT_TRUE(Deadline(Duration<double, std::milli>(1e300)).is_never());
    EXPECT_TRUE(Deadline(Duration<float>(1e38f)).is_never());
    EXPECT_TRUE(Deadline(Duration<long double>(std::numeric_limits<long double>::max())).is_never());
}

TEST(Deadline, OfTheLargestIntegersIsNever) {
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();

    EXPECT_TRUE(Deadline(Duration<std::int64_t, std::nano>(largest)).is_never());
    EXPECT_TRUE(Deadline(Duration<std::int64_t, std::nano>(largest - 1)).is_never());  // from now on: too late
    EXPECT_TRUE(Deadline(Duration<std::int64_t, std::micro>(largest)).is_never());
    EXPECT_TRUE(Deadline(Duration<std::int64_t, std::milli>(largest)).is_never());
    EXPECT_TRUE(Deadline(Duration<std::int64_t>(largest)).is_never());
    EXPECT_TRUE(Deadline(Duration<std::int64_t, std::ratio<60>>(largest)).is_never());
    EXPECT_TRUE(Deadline(Duration<std::int64_t, std::ratio<3600>>(largest)).is_never());
    EXPECT_TRUE(Deadline(Duration<std::int64_t, std::ratio<86400>>(largest)).is_never());
    EXPECT_TRUE(Deadline(Duration<std::int64_t, std::ratio<1, 3>>(largest)).is_never());
    EXPECT_TRUE(Deadline(std::chrono::years::max()).is_never());
}

TEST(Deadline, OfTheLargestUnsignedIntegersIsNever) {
    constexpr auto largest = std::numeric_limits<std::uint64_t>::max();

    EXPECT_TRUE(Deadline(Duration<std::uint64_t, std::nano>(largest)).is_never());
    EXPECT_TRUE(Deadline(Duration<std::uint64_t>(largest)).is_never());
}

TEST(Deadline, OfTheLargestPicosecondsIsNeitherNeverNorDue) {
    constexpr Duration<std::int64_t, std::pico> largest(std::numeric_limits<std::int64_t>::max());

    const Deadline deadline(largest);

    EXPECT_FALSE(deadline.is_never());
    EXPECT_FALSE(deadline.is_due());
    EXPECT_TRUE(is_never_early(largest));
}

TEST(Deadline, OfAHundredYearsIsNeitherNeverNorDue) {
    const Deadline deadline(std::chrono::years(100));

    EXPECT_FALSE(deadline.is_never());
    EXPECT_FALSE(deadline.is_due());
}

TEST(Deadline, OfLessThanANanosecondIsRoundedUp) {
    const TimePoint before = Clock::now();

    const Deadline deadline(Duration<double, std::nano>(0.1));

    EXPECT_GT(deadline.time_point(), before);
}

TEST(Deadline, OfPicosecondsIsRoundedUp) {
    EXPECT_TRUE(is_never_early(Duration<std::int64_t, std::pico>(1)));
    EXPECT_TRUE(is_never_early(Duration<std::int64_t, std::pico>(1'000'001)));
}

TEST(Deadline, OfTheSmallestDoubleIsRoundedUp) {
    const TimePoint before = Clock::now();

    const Deadline deadline{Duration<double>(std::numeric_limits<double>::denorm_min())};

    EXPECT_GT(deadline.time_point(), before);
}

TEST(Deadline, OfUnsignedAndSmallIntegersIsNeverEarly) {
    EXPECT_TRUE(is_never_early(Duration<unsigned, std::milli>(7)));
    EXPECT_TRUE(is_never_early(Duration<std::int8_t>(127)));
    EXPECT_TRUE(is_never_early(Duration<std::uint16_t, std::ratio<3600>>(65535)));
    EXPECT_TRUE(is_never_early(Duration<std::int32_t, std::ratio<1, 3>>(std::numeric_limits<std::int32_t>::max())));
}

TEST(Deadline, OfAnOddUnitIsNeverEarly) {
    EXPECT_TRUE(is_never_early(Duration<std::int64_t, std::ratio<1, 3>>(1)));
    EXPECT_TRUE(is_never_early(Duration<std::int64_t, std::ratio<1, 60>>(59)));
    EXPECT_TRUE(is_never_early(Duration<std::int64_t, std::ratio<1001, 30000>>(1'000'000)));
}

TEST(Deadline, OfAVeryLongTimeInAnOddUnitIsNeverEarly) {
    // Two hundred years, whose nanoseconds fit the clock but not with the unit's denominator.
    EXPECT_TRUE(is_never_early(Duration<std::int64_t, std::ratio<1, 3>>(std::int64_t{200} * 31'556'952 * 3)));
    EXPECT_TRUE(is_never_early(Duration<std::int64_t, std::ratio<1, 60>>(std::int64_t{200} * 31'556'952 * 60)));
}

TEST(Deadline, OfDoublesIsNeverEarly) {
    for (double seconds = 1e-9; seconds < 1e6; seconds *= 1.7) {
        EXPECT_TRUE(is_never_early(Duration<double>(seconds))) << seconds;
        EXPECT_TRUE(is_never_early(Duration<double, std::milli>(seconds * 1e3))) << seconds;
    }
}

TEST(Deadline, OfFloatsIsNeverEarly) {
    for (float seconds = 1e-9f; seconds < 1e6f; seconds *= 1.7f)
        EXPECT_TRUE(is_never_early(Duration<float>(seconds))) << seconds;
}

TEST(Deadline, DoesNotOverflowForATimePointAtTheEndOfTheClock) {
    const Deadline deadline(TimePoint::max() - 1ns);

    EXPECT_FALSE(deadline.is_never());
    EXPECT_FALSE(deadline.is_due());
}

TEST(Deadline, EqualsAnotherOfTheSameTimePoint) {
    const TimePoint time_point = Clock::now();

    EXPECT_EQ(Deadline(time_point), Deadline(time_point));
    EXPECT_NE(Deadline(time_point), Deadline::never());
}

TEST(Deadline, OfATimePointInPicosecondsIsRoundedUp) {
    using Picoseconds = std::chrono::time_point<std::chrono::steady_clock, Duration<std::int64_t, std::pico>>;

    EXPECT_EQ(Deadline(Picoseconds(Duration<std::int64_t, std::pico>(1))).time_point(), TimePoint(1ns));
    EXPECT_EQ(Deadline(Picoseconds(Duration<std::int64_t, std::pico>(2000))).time_point(), TimePoint(2ns));
}

TEST(Deadline, TakesTimePointsOfTheSteadyClockInOtherUnits) {
    using Hours = std::chrono::time_point<std::chrono::steady_clock, std::chrono::hours>;
    using Seconds = std::chrono::time_point<std::chrono::steady_clock, std::chrono::duration<double>>;

    EXPECT_EQ(Deadline(Hours(2h)).time_point(), Deadline::TimePoint(2h));
    EXPECT_EQ(Deadline(Seconds(std::chrono::duration<double>(1.5))).time_point(), Deadline::TimePoint(1500ms));
    EXPECT_TRUE(Deadline(Seconds(Duration<double>(std::numeric_limits<double>::quiet_NaN()))).is_never());
    EXPECT_TRUE(Deadline(Hours::max()).is_never());
    EXPECT_TRUE(Deadline(Hours::min()).is_due());
}

}  // namespace
