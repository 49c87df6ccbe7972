// SPDX-License-Identifier: MIT
#include <functional>

#include <futon/agent.hpp>
#include <futon/core/operation/pace.hpp>
#include <futon/event_loop.hpp>

#include "support/gtest.hpp"

namespace {

using futon::core::Pace;

constexpr Pace::Time microsecond = 1'000;
constexpr Pace::Time begin = 1'000'000'000;

/// A loop that has looked every twenty microseconds until then, and is in a turn since.
Pace::Time after_short_turns(Pace& pace) {
    Pace::Time now = begin;
    static_cast<void>(pace.prospect(now, now, false));  // so that its looks are noted
    pace.will_tell();
    for (int i = 0; i < 100; ++i) pace.look(now += 20 * microsecond);
    return now;
}

TEST(Pace, AStrictOrderKeepsALoopWhoseTurnsWereShortForAsLongAsAnOffer) {
    Pace pace;
    const Pace::Time look = after_short_turns(pace);
    const Pace::Time now = look + 100 * microsecond;
    const Pace::Prospect prospect = pace.prospect(now, now, true);
    EXPECT_EQ(prospect.plan, Pace::Plan::offer);
    EXPECT_GE(prospect.until, now + Pace::usual_offer);
}

TEST(Pace, NoOrderWaitsForALoopThatIsInATurnMuchLongerThanAnyOfLate) {
    Pace pace;
    const Pace::Time now = after_short_turns(pace) + Pace::usual_offer + microsecond;
    EXPECT_EQ(pace.prospect(now, now, true).plan, Pace::Plan::call);
    EXPECT_EQ(pace.prospect(now, now, false).plan, Pace::Plan::call);
}

TEST(Pace, WhereBargingIsAllowedALoopIsNotWaitedForBeyondItsLongestTurn) {
    Pace pace;
    const Pace::Time now = after_short_turns(pace) + 100 * microsecond;
    EXPECT_EQ(pace.prospect(now, now, false).plan, Pace::Plan::call);
}

TEST(Pace, ALoopThatRunsIsNotTakenToSleepInTheMiddleOfAJob) {
    futon::EventLoop loop;
    Pace::Plan plan = Pace::Plan::serve;
    int turns = 0;
    std::function<void()> job = [&] {
        const Pace::Time now = Pace::now();
        while (Pace::now() == now) {  // so that each turn takes some time
        }
        plan = futon::Agent::current().pace().prospect(now, now, false).plan;
        if (++turns < 5) loop.post(job);  // so it has never slept
    };
    loop.post(job);

    loop.run();

    EXPECT_NE(plan, Pace::Plan::serve);
}

}  // namespace
