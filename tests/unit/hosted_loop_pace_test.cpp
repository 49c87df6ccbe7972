// SPDX-License-Identifier: MIT
#include <memory>

#include <futon/core/loop/hosted_loop.hpp>
#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/observed_pace.hpp"
#include "support/scripted_host.hpp"

namespace {

using futon::test::ObservedPace;
using Host = futon::test::ScriptedHost;
using Loop = futon::test::LoopOfHost;

class HostedLoopPace : public testing::Test {
protected:
    /// The host computes, and polls.
    void turn() {
        ObservedPace::compute();
        loop->host_sleeps();
        loop->host_woke();
    }
    void be_busy() {
        for (int i = 0; i < 3; ++i) turn();
    }

    Host host;
    std::unique_ptr<Loop> loop = std::make_unique<Loop>(host);
    ObservedPace pace{futon::Agent::current().pace()};
};

TEST_F(HostedLoopPace, ALoopWhoseHostHasJustPolledIsInATurn) {
    be_busy();

    EXPECT_FALSE(pace.comes_at_once());
}

TEST_F(HostedLoopPace, ALoopWhoseHostSleepsComesAtOnce) {
    be_busy();
    ASSERT_FALSE(pace.comes_at_once());

    loop->host_sleeps();

    EXPECT_TRUE(pace.comes_at_once());
}

TEST_F(HostedLoopPace, ALoopThatRunsItsJobsIsAwake) {
    be_busy();
    loop->host_sleeps();

    loop->run_ready();

    EXPECT_FALSE(pace.comes_at_once());
}

TEST_F(HostedLoopPace, ALoopThatEndsIsAwake) {
    struct Asks {
        Asks(ObservedPace& of, bool& answer) : pace(of), comes_at_once(answer) {}
        ~Asks() { comes_at_once = pace.comes_at_once(); }
        ObservedPace& pace;
        bool& comes_at_once;
    };
    bool comes_at_once = true;
    be_busy();
    loop->post([asks = std::make_unique<Asks>(pace, comes_at_once)] {});
    loop->host_sleeps();

    loop.reset();

    EXPECT_FALSE(comes_at_once);
}

// Its jobs came behind those of its host before.
TEST_F(HostedLoopPace, ALoopThatNapsIsInATurn) {
    auto guard = loop->keep_running();
    be_busy();
    loop->host_sleeps();
    loop->host_woke();
    ObservedPace::compute();
    loop->run_ready();

    loop->host_sleeps();

    EXPECT_FALSE(pace.comes_at_once());
}

TEST_F(HostedLoopPace, ALoopIsToLookOnlyOnceInATurnThatDoesNothing) {
    EXPECT_TRUE(loop->should_look());
    while (loop->should_look()) {  // a turn may take long on a busy machine
    }
    ObservedPace::compute();

    EXPECT_TRUE(loop->should_look());
}

TEST(HostedLoopPaceOfNoArbiter, ALoopThatNoArbiterAsksForTellsNothing) {
    Host host;
    Loop loop(host);

    loop.host_sleeps();

    EXPECT_FALSE(loop.should_look());
    EXPECT_TRUE(ObservedPace(futon::Agent::current().pace()).comes_at_once());
}

}  // namespace
