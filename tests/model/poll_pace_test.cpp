// SPDX-License-Identifier: MIT
// What is told of a loop that another library runs. The rest is in arbiter_pace_test.cpp, in simulated time.
#include <futon/core/operation/pace.hpp>
#include <futon/core/operation/poll_pace.hpp>

#include "support/gtest.hpp"

namespace {

using futon::core::Pace;
using futon::core::PollPace;

constexpr Pace::Time ms = 1'000'000;

/// A loop that is polled, and whose polls wait.
struct Polled {
    Polled() {
        ask();
        poll_pace.look(now);
    }

    Pace::Prospect ask() { return pace.prospect(now, now, true); }

    /// The loop polls. The poll waits for so long, and what it has found takes so long; then the loop works for as long again.
    void turn(Pace::Time wait, Pace::Time within, Pace::Time after, bool is_awaited = true) {
        poll_pace.look(now);
        poll_pace.before_poll(now, waited, wait != 0, is_awaited);
        now += wait + within;
        waited += wait;
        poll_pace.after_poll(now, waited);
        now += after;
    }
    void begin_poll(bool may_wait = true) {
        poll_pace.look(now);
        poll_pace.before_poll(now, waited, may_wait, true);
    }

    /// When the loop is expected to look, as far as an offer tells.
    bool is_expected_after(Pace::Time time) {
        const Pace::Prospect prospect = ask();
        return prospect.plan == Pace::Plan::offer && prospect.until >= now + time && prospect.until <= now + 2 * time;
    }

    Pace pace;
    PollPace poll_pace{pace};
    Pace::Time now = 1000 * ms;
    Pace::Time waited = 0;
};

TEST(PollPace, ALoopSleepsWhileItsPollMayWait) {
    Polled loop;
    loop.turn(0, 0, 10 * ms);
    loop.begin_poll();
    EXPECT_EQ(loop.ask().plan, Pace::Plan::serve);
}

TEST(PollPace, ASleepThatWasNotForeseenIsNoTurn) {
    Polled loop;
    for (int i = 0; i < 3; ++i) loop.turn(0, 0, 10 * ms);
    loop.begin_poll(false);
    loop.now += 60 * ms;
    loop.waited += 60 * ms;
    loop.poll_pace.after_poll(loop.now, loop.waited);
    EXPECT_TRUE(loop.is_expected_after(10 * ms));
}

TEST(PollPace, ALoopWhosePollFindsSomethingIsInATurn) {
    Polled loop;
    loop.turn(0, 0, 10 * ms);
    loop.begin_poll(false);
    EXPECT_TRUE(loop.is_expected_after(10 * ms));
}

TEST(PollPace, WhatWakesItUpBeginsATurn) {
    Polled loop;
    for (int i = 0; i < 3; ++i) loop.turn(20 * ms, 0, 10 * ms);
    loop.begin_poll();
    loop.now += 24 * ms;
    EXPECT_EQ(loop.ask().plan, Pace::Plan::serve);
    EXPECT_TRUE(loop.poll_pace.is_asleep());
    loop.poll_pace.wake_up(loop.waited + 20 * ms);
    EXPECT_FALSE(loop.poll_pace.is_asleep());
    EXPECT_TRUE(loop.is_expected_after(6 * ms));
}

TEST(PollPace, WhatItsOwnThreadGivesItIsTakenAtOnce) {
    Polled loop;
    loop.turn(0, 0, 10 * ms);
    loop.begin_poll(false);
    loop.poll_pace.begin_call();
    EXPECT_EQ(loop.ask().plan, Pace::Plan::serve);
    loop.poll_pace.end_call();
    EXPECT_TRUE(loop.is_expected_after(10 * ms));
}

TEST(PollPace, ALoopThatNapsIsInOneTurn) {
    Polled loop;
    for (int i = 0; i < 3; ++i) loop.turn(2 * ms, 10 * ms, 0);
    loop.begin_poll();
    EXPECT_TRUE(loop.is_expected_after(12 * ms));
}

TEST(PollPace, ALoopThatIsNotAwaitedDoesNotShowThatItNaps) {
    Polled loop;
    for (int i = 0; i < 3; ++i) loop.turn(2 * ms, 10 * ms, 0, false);
    loop.begin_poll();
    EXPECT_EQ(loop.ask().plan, Pace::Plan::serve);
}

TEST(PollPace, WhatWasTakenForANapIsNoTurn) {
    Polled loop;
    for (int i = 0; i < 3; ++i) loop.turn(2 * ms, 10 * ms, 0);
    loop.turn(100 * ms, 10 * ms, 0, false);
    loop.begin_poll(false);
    EXPECT_TRUE(loop.is_expected_after(12 * ms));
}

TEST(PollPace, ATurnThatOnlyTakesWhatWasPostedIsNotLearnt) {
    Polled loop;
    loop.turn(0, 0, 10 * ms);
    loop.turn(0, ms / 10, 0);
    loop.turn(0, 0, 10 * ms);
    loop.turn(0, ms / 10, 0);
    loop.begin_poll(false);
    loop.now += ms / 10;
    EXPECT_EQ(loop.pace.prospect(loop.now, loop.now, false).plan, Pace::Plan::later);
}

}  // namespace
