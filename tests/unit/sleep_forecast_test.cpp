// SPDX-License-Identifier: MIT
// Polls before a sleep that will be short.
#include <chrono>

#include "platform/sleep_forecast.hpp"
#include "platform/wake_time.hpp"
#include "support/gtest.hpp"
#include "support/platform.hpp"
#include "support/spinning.hpp"

namespace {

using namespace std::chrono_literals;
using futon::platform::now;
using futon::platform::SleepForecast;
using futon::platform::SleepLimits;
using futon::platform::WakeTime;

constexpr auto never = std::chrono::steady_clock::time_point::max();

/// How often it polls before a sleep until that time.
int polls_before(SleepForecast& forecast, std::chrono::steady_clock::time_point deadline) {
    int polls = 0;
    EXPECT_FALSE(forecast.spin(deadline, [&] {
        ++polls;
        return false;
    }));
    return polls;
}

/// A sleep of no length, which is short unless the thread loses its processor just then: again until it was.
bool sleep_shortly(SleepForecast& forecast) {
    bool has_polled = false;
    for (int tries = 0; tries < 1000 && !has_polled; ++tries) {
        futon::test::wait_until_it_spins();
        forecast.spin(never, [] { return true; });
        forecast.woken();
        has_polled = polls_before(forecast, never) > 0;
    }
    futon::test::wait_until_it_spins();
    return has_polled;
}

TEST(SleepForecast, ThereAreNoPollsBeforeTheFirstSleep) {
    SleepForecast forecast;

    EXPECT_EQ(polls_before(forecast, never), 0);
}

TEST(SleepForecast, AShortSleepHasPollsBeforeTheNext) {
    if (!futon::test::spins_before_sleeping) GTEST_SKIP() << "no thread polls on this platform";
    SleepForecast forecast;

    if (!sleep_shortly(forecast)) GTEST_SKIP() << "the process has a single processor, or one that is very slow";

    EXPECT_TRUE(forecast.spin(never, [] { return true; }));
}

/// As long as the longest of the sleeps that are short, for threads that have woken others slowly.
void pass_time() {
    for (const auto end = now() + SleepLimits::of(1h).short_sleep; now() < end;) {
    }
}

TEST(SleepForecast, ALongSleepHasNone) {
    SleepForecast forecast;

    forecast.spin(never, [] { return true; });
    pass_time();
    forecast.woken();

    EXPECT_EQ(polls_before(forecast, never), 0);
}

TEST(SleepForecast, PollsInVainHaveNone) {
    constexpr int times = 20;  // one alone may take long, if the thread is interrupted
    for (int i = 0; i < times; ++i) {
        SleepForecast forecast;
        const bool has_polled_in_vain = sleep_shortly(forecast);
        if (!has_polled_in_vain) GTEST_SKIP() << "no thread polls here, or this one is very slow";

        forecast.woken();

        EXPECT_EQ(polls_before(forecast, never), 0);
    }
}

TEST(SleepForecast, PollsInVainLetTheTimeOfAWakeFade) {
    if (!futon::test::spins_before_sleeping) GTEST_SKIP() << "no thread polls on this platform";
    WakeTime& time = futon::platform::Parker::wake_time();
    for (int wake = 0; wake < 100; ++wake) time.note(16us);
    SleepForecast forecast;

    if (!sleep_shortly(forecast)) GTEST_SKIP() << "the process has a single processor, or one that is very slow";

    EXPECT_LT(time.estimate(), 16us);
    time = WakeTime();
}

#if !defined(_WIN32) && \
    !defined(FUTON_PLATFORM_IS_emscripten)  // where no thread can be bound to a processor by this test
TEST(SleepForecast, PollsThatAThreadMayNotMakeAreNotInVain) {
    if (!futon::test::yields_while_it_spins()) GTEST_SKIP() << "no thread yields while it spins here";
    SleepForecast forecast;
    bool polls_again = false;

    // A sleep may be long because the thread loses its processor just then: again until it was short.
    for (int tries = 0; tries < 10 && !polls_again; ++tries) {
        if (!sleep_shortly(forecast)) GTEST_SKIP() << "the process has a single processor, or one that is very slow";
        forecast.spin(never, [] { return true; });
        if (!futon::test::lose_processor_while_spinning())
            GTEST_SKIP() << "a yield seldom takes a slice on this system";
        EXPECT_EQ(polls_before(forecast, never), 0);
        forecast.woken();
        futon::test::wait_until_it_spins();
        polls_again = forecast.spin(never, [] { return true; });
    }

    EXPECT_TRUE(polls_again);
}
#endif

TEST(SleepForecast, ATimeOutHasNone) {
    SleepForecast forecast;
    sleep_shortly(forecast);

    forecast.timed_out();

    EXPECT_EQ(polls_before(forecast, never), 0);
}

TEST(SleepForecast, ADeadlineThatIsNearHasNone) {
    SleepForecast forecast;
    sleep_shortly(forecast);

    EXPECT_EQ(polls_before(forecast, now()), 0);
}

TEST(SleepLimits, AreThoseOfShortWakesWhereNothingIsKnown) {
    constexpr SleepLimits limits = SleepLimits::of(0ns);

    EXPECT_EQ(limits.short_sleep, 25us);
    EXPECT_EQ(limits.longest_polls, 7us);
}

TEST(SleepLimits, GrowWithTheTimeOfAWake) {
    constexpr SleepLimits limits = SleepLimits::of(14us);

    EXPECT_EQ(limits.short_sleep, 8 * 14us);
    EXPECT_EQ(limits.longest_polls, 3 * 14us);
}

TEST(SleepLimits, HaveAnEnd) {
    constexpr SleepLimits limits = SleepLimits::of(1h);

    EXPECT_EQ(limits.short_sleep, 150us);
    EXPECT_EQ(limits.longest_polls, 50us);
}

/// The estimate after that many wakes that took so long.
constexpr std::chrono::nanoseconds estimate_after(int wakes, std::chrono::nanoseconds each, WakeTime time = {}) {
    for (int wake = 0; wake < wakes; ++wake) time.note(each);
    return time.estimate();
}

TEST(WakeTime, IsZeroBeforeTheFirstWake) {
    EXPECT_EQ(WakeTime().estimate(), 0ns);
}

TEST(WakeTime, BecomesWhatWakesTake) {
    EXPECT_EQ(estimate_after(1, 300ns), 300ns);
    EXPECT_EQ(estimate_after(100, 14us), 14us);
}

TEST(WakeTime, HardlyRisesForOneLongWake) {
    EXPECT_EQ(estimate_after(1, 3ms), 500ns);
}

TEST(WakeTime, HasAnEnd) {
    EXPECT_EQ(estimate_after(1000, 3ms), 20us);
}

TEST(WakeTime, FadesWherePollsAreInVain) {
    WakeTime time;
    for (int wake = 0; wake < 100; ++wake) time.note(16us);

    time.note_vain_polls();
    EXPECT_EQ(time.estimate(), 15us);
    for (int polls = 0; polls < 50; ++polls) time.note_vain_polls();

    EXPECT_LT(time.estimate(), 1us);
}

TEST(WakeTime, FallsWithinAFewShortWakes) {
    WakeTime time;
    for (int wake = 0; wake < 100; ++wake) time.note(16us);

    EXPECT_EQ(estimate_after(1, 0ns, time), 12us);
    EXPECT_LT(estimate_after(10, 0ns, time), 1us);
}

}  // namespace
