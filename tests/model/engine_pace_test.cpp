// SPDX-License-Identifier: MIT
// What a loop that an engine runs tells. The rest is in page_pace_test.cpp, in simulated time.
#include "loop/engine_pace.hpp"

#include <algorithm>

#include <futon/core/operation/pace.hpp>

#include "support/gtest.hpp"

namespace {

using futon::core::Pace;
using futon::detail::EnginePace;

/// A loop of a page. The engine calls it when it is due, unless a job of the engine keeps it from that.
struct Paged {
    static constexpr Pace::Time ms = 1'000'000;

    Paged() {
        ask();
        turn();
    }

    Pace::Prospect ask() { return pace.prospect(now, now, true); }

    /// Something was posted, or the loop is due.
    void turn(Pace::Time length = 0, bool is_awaited = true) {
        engine_pace.begin_turn(now);
        now += length;
        const Pace::Time delay = engine_pace.end_turn(now, is_awaited);
        due = delay == EnginePace::never ? EnginePace::never : now + delay;
    }
    void call_when_due() {
        now = std::max(now, due);
        turn();
    }
    /// The engine does nothing, until that time is over.
    void rest(Pace::Time time) {
        const Pace::Time end = now + time;
        while (due <= end) call_when_due();
        now = end;
    }
    /// A job of the page, which begins a wait or not.
    void frame(Pace::Time length, bool enters) {
        if (enters) {
            engine_pace.enter(now);
            due = now;
        }
        now += length;
        if (due <= now) call_when_due();
    }

    /// When the loop is expected to look, as far as an offer tells.
    bool is_expected_after(Pace::Time time) {
        const Pace::Prospect prospect = ask();
        return prospect.plan == Pace::Plan::offer && prospect.until >= now + time && prospect.until <= now + 2 * time;
    }

    Pace pace;
    EnginePace engine_pace{pace};
    Pace::Time now = 1000 * ms;
    Pace::Time due = EnginePace::never;
};

TEST(EnginePace, ALoopThatIsCalledInTimeSleeps) {
    Paged loop;
    loop.frame(10 * Paged::ms, true);
    loop.rest(5 * Paged::ms);
    EXPECT_EQ(loop.ask().plan, Pace::Plan::serve);
}

TEST(EnginePace, AFrameInWhichATaskBeginsToWaitIsATurn) {
    Paged loop;
    for (int i = 0; i < 3; ++i) {
        loop.frame(10 * Paged::ms, true);
        loop.rest(20 * Paged::ms);
    }
    loop.engine_pace.enter(loop.now);
    EXPECT_TRUE(loop.is_expected_after(10 * Paged::ms));
}

TEST(EnginePace, AFrameThatMakesTheLoopLateIsATurn) {
    Paged loop;
    for (int i = 0; i < 3; ++i) loop.frame(20 * Paged::ms, false);
    EXPECT_TRUE(loop.is_expected_after(20 * Paged::ms));
}

TEST(EnginePace, AJobOfTheLoopIsATurn) {
    Paged loop;
    for (int i = 0; i < 3; ++i) {
        loop.turn(20 * Paged::ms);
        loop.now += Paged::ms / 10;
    }
    loop.engine_pace.begin_turn(loop.now);
    EXPECT_TRUE(loop.is_expected_after(20 * Paged::ms));
}

TEST(EnginePace, TheTimeBetweenFramesIsNoTurn) {
    Paged loop;
    for (int i = 0; i < 3; ++i) {
        loop.frame(10 * Paged::ms, true);
        loop.rest(50 * Paged::ms);
    }
    loop.engine_pace.enter(loop.now);
    EXPECT_TRUE(loop.is_expected_after(10 * Paged::ms));
}

TEST(EnginePace, AShortTurnOfALoopThatSleepsChangesNothing) {
    Paged loop;
    loop.rest(5 * Paged::ms);
    loop.turn(Paged::ms / 10);
    EXPECT_EQ(loop.ask().plan, Pace::Plan::serve);
}

TEST(EnginePace, WhereNoTaskWaitsTheLoopIsNotCalled) {
    Paged loop;
    loop.turn(0, false);
    EXPECT_EQ(loop.due, EnginePace::never);
}

}  // namespace
