// SPDX-License-Identifier: MIT
// The jobs, timers and continuations of a loop run under its own agent, whichever agents were made since.
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include <futon/core/loop/loop_executor.hpp>
#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Agent;
using futon::CanBlock;
using futon::EventLoop;
using futon::Promise;
using futon::wait_async;
using futon::WaitResult;
using Agents = std::vector<Agent*>;

/// A loop that must not block; it notes under which agents its jobs run.
class OuterLoop : public testing::Test {
protected:
    auto see() {
        return [this] { seen.push_back(&Agent::current()); };
    }

    EventLoop outer;
    Agent* const own = &Agent::current();
    Agents seen;
};

TEST_F(OuterLoop, RunsItsJobsUnderItsOwnAgentAlthoughAnInnerLoopIsCurrent) {
    const EventLoop inner(CanBlock::yes);
    bool can_block = true;
    outer.post(see());
    outer.post([&] { can_block = Agent::current().can_block(); });

    outer.run();

    EXPECT_EQ(seen, Agents{own});
    EXPECT_FALSE(can_block);
    EXPECT_EQ(Agent::current().executor(), &inner);
}

TEST_F(OuterLoop, PollsUnderItsOwnAgentAlthoughAnInnerLoopIsCurrent) {
    const EventLoop inner;
    outer.post(see());

    outer.poll();

    EXPECT_EQ(seen, Agents{own});
    EXPECT_EQ(Agent::current().executor(), &inner);
}

TEST_F(OuterLoop, FiresItsTimersUnderItsOwnAgent) {
    const EventLoop inner;
    outer.post_after(0ms, see());

    outer.run();

    EXPECT_EQ(seen, Agents{own});
}

TEST_F(OuterLoop, ItsCoroutinesWaitAgainOnTheirOwnLoop) {
    std::atomic<int> word{0};
    const auto wait_twice = [&]() -> Promise<int> {
        co_await wait_async(word, 0);
        seen.push_back(&Agent::current());
        co_await wait_async(word, 0);
        seen.push_back(&Agent::current());
        co_return 7;
    };
    auto promise = wait_twice();
    const EventLoop inner;
    outer.post([&] { futon::notify(word); });
    outer.post_after(1ms, [&] { futon::notify(word); });

    const int value = outer.run_until(promise);

    EXPECT_EQ(value, 7);
    EXPECT_EQ(seen, (Agents{own, own}));
}

TEST_F(OuterLoop, AnExceptionThatLeavesRestoresTheInnerAgent) {
    const EventLoop inner;
    outer.post([] { throw std::runtime_error("broken"); });

    EXPECT_THROW(outer.run(), std::runtime_error);

    EXPECT_EQ(Agent::current().executor(), &inner);
}

TEST_F(OuterLoop, ANestedRunOfTheInnerLoopIsUnderTheInnerAgent) {
    EventLoop inner;
    Agent* const inners = &Agent::current();
    outer.post([&] {
        inner.post(see());
        inner.post([&] {
            outer.post(see());
            outer.run();
            see()();
        });
        inner.run();
        see()();
    });

    outer.run();

    EXPECT_EQ(seen, (Agents{inners, own, inners, own}));
    EXPECT_EQ(&Agent::current(), inners);
}

TEST_F(OuterLoop, AJobMayMakeALoopThatAnotherJobEnds) {
    std::optional<EventLoop> made;
    outer.post([&] {
        made.emplace();
        EXPECT_EQ(Agent::current().executor(), &*made);
    });
    outer.post(see());
    outer.post([&] {
        made.reset();
        see()();
    });

    outer.run();

    EXPECT_EQ(seen, (Agents{own, own}));
    EXPECT_EQ(&Agent::current(), own);
}

TEST_F(OuterLoop, ALoopThatAJobMadeIsCurrentAfterTheRun) {
    std::optional<EventLoop> first;
    std::optional<EventLoop> second;
    outer.post([&] { first.emplace(); });
    outer.post([&] { second.emplace(); });

    outer.run();

    EXPECT_EQ(Agent::current().executor(), &*second);
    second.reset();
    EXPECT_EQ(Agent::current().executor(), &*first);
    first.reset();
    EXPECT_EQ(&Agent::current(), own);
}

TEST_F(OuterLoop, ALoopThatAJobMadeUnderAnInnerLoopGivesWayToThatLoop) {
    const EventLoop inner;
    std::optional<EventLoop> made;
    outer.post([&] { made.emplace(); });

    outer.run();

    EXPECT_EQ(Agent::current().executor(), &*made);
    made.reset();
    EXPECT_EQ(Agent::current().executor(), &inner);
}

TEST_F(OuterLoop, AJobOfTheOuterLoopMayEndTheInnerLoop) {
    std::optional<EventLoop> inner(std::in_place);
    int destroyed = 0;
    inner->post([held = std::make_shared<futon::test::DestructionCounter>(destroyed)] {});
    outer.post([&] {
        inner.reset();
        see()();
    });

    outer.run();

    EXPECT_EQ(destroyed, 1);
    EXPECT_EQ(seen, Agents{own});
    EXPECT_EQ(&Agent::current(), own);
}

TEST_F(OuterLoop, ALoopThatEndsDiscardsAPostedFunctionThatHoldsALoop) {
    std::optional<EventLoop> inner(std::in_place);
    inner->post([held = std::make_unique<EventLoop>()] {});

    inner.reset();

    EXPECT_EQ(&Agent::current(), own);
}

TEST(LoopExecutor, RunsItsJobsUnderItsOwnAgentAlthoughAnotherIsCurrent) {
    futon::core::LoopExecutor executor([]() noexcept {});
    const EventLoop inner;
    futon::Executor* seen = nullptr;
    executor.post([&] { seen = Agent::current().executor(); });

    executor.poll();

    EXPECT_EQ(seen, &executor);
    EXPECT_EQ(Agent::current().executor(), &inner);
}

}  // namespace
