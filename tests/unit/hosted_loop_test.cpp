// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <latch>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>

#include <futon/core/driver/call_back.hpp>
#include <futon/core/loop/hosted_loop.hpp>
#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/scripted_host.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using futon::WaitResult;
using futon::core::HostedLoop;
using Host = futon::test::ScriptedHost;
using Loop = futon::test::LoopOfHost;
using futon::test::until_after;
using futon::test::waiting_at;

class HostedLoopTest : public testing::Test {
protected:
    Host host;
    std::unique_ptr<Loop, HostedLoop::Ender> loop{new Loop(host)};
    futon::Event event;
};

TEST_F(HostedLoopTest, AsksNothingOfItsHostAtFirst) {
    EXPECT_FALSE(host.is_woken);
    EXPECT_FALSE(host.is_alive);
    EXPECT_EQ(host.timers_set, 0);
}

TEST_F(HostedLoopTest, AJobOfItsOwnThreadKeepsTheHostAlive) {
    int ran = 0;

    loop->post([&] { ++ran; });

    EXPECT_TRUE(host.is_alive);
    host.run();
    EXPECT_EQ(ran, 1);
    EXPECT_FALSE(host.is_alive);
}

/// Each job takes longer than a turn may: whatever else the machine does, each has a turn of its own.
TEST_F(HostedLoopTest, LongJobsLeaveTheHostATurnEach) {
    int ran = 0;
    for (int i = 0; i < 3; ++i)
        loop->post([&] {
            for (const auto end = Clock::now() + 5ms; Clock::now() < end;) {
            }
            ++ran;
        });

    for (int turns = 1; turns <= 3; ++turns) {
        EXPECT_TRUE(host.is_woken) << "what is left asks for another turn";
        host.turn();
        EXPECT_EQ(ran, turns);
    }
    host.run();
    EXPECT_EQ(ran, 3);
}

TEST_F(HostedLoopTest, AWaitKeepsTheHostAliveUntilItIsOver) {
    futon::call_back(event.waiting(), [](WaitResult) {});
    EXPECT_TRUE(host.is_alive);
    EXPECT_FALSE(host.is_woken);

    std::jthread setter([&] { event.set(); });
    host.run();

    EXPECT_FALSE(host.is_alive);
}

TEST_F(HostedLoopTest, AnUnrefdWaitDoesNot) {
    futon::CallHandle handle = futon::call_back(event.waiting(), 1h, [](WaitResult) {});

    handle.unref();

    EXPECT_FALSE(host.is_alive);
}

TEST_F(HostedLoopTest, AGuardDoes) {
    auto guard = loop->keep_running();
    EXPECT_TRUE(host.is_alive);

    guard.reset();

    EXPECT_FALSE(host.is_alive);
}

TEST_F(HostedLoopTest, ArmsTheHostsTimerWithoutWakingIt) {
    const auto deadline = Clock::now() + 1h;

    auto timer = loop->post_at(deadline, [] {});

    EXPECT_FALSE(host.is_woken);
    EXPECT_LT(host.timer, deadline + 1min);
    EXPECT_TRUE(timer.cancel());
    EXPECT_FALSE(host.is_alive);
}

TEST_F(HostedLoopTest, ArmsItAgainForWhatIsNext) {
    std::string order;
    const Clock::time_point now = Clock::now();  // of both: between two calls the thread may be kept waiting
    loop->post_at(now + 2ms, [&] { order += 'b'; });
    loop->post_at(now + 1ms, [&] { order += 'a'; });

    host.run();

    EXPECT_EQ(order, "ab");
    EXPECT_EQ(host.timer, Host::unarmed);
}

TEST_F(HostedLoopTest, ArmsItAgainIfItFiresTooEarly) {
    int fired = 0;
    loop->post_after(1ms, [&] { ++fired; });

    host.timer = Host::unarmed;
    host.fired();
    EXPECT_NE(host.timer, Host::unarmed);

    host.run();
    EXPECT_EQ(fired, 1);
}

TEST_F(HostedLoopTest, TimersFireInAHostsLoopThatATimerRuns) {
    int fired = 0;
    loop->post_after(1ms, [&] {
        while (fired == 0) host.turn();
    });
    loop->post_after(40ms, [&] { ++fired; });

    host.run();

    EXPECT_EQ(fired, 1);
}

TEST_F(HostedLoopTest, JobsRunInAHostsLoopThatAJobRuns) {
    int ran = 0;
    loop->post([&] {
        loop->post([&] { ++ran; });
        while (ran == 0) host.turn();
        loop->post_after(1ms, [&] { ++ran; });
        while (ran == 1) host.turn();
    });

    host.run();

    EXPECT_EQ(ran, 2);
}

TEST_F(HostedLoopTest, ExceptionsGoToTheHandler) {
    int unhandled = 0;
    int ran = 0;
    loop->set_unhandled_handler([&](std::exception_ptr) { ++unhandled; });
    loop->post([] { throw std::runtime_error("job"); });
    loop->post([&] { ++ran; });

    host.run();

    EXPECT_EQ(unhandled, 1);
    EXPECT_EQ(ran, 1);
}

TEST_F(HostedLoopTest, AnExceptionWithoutAHandlerEndsTheProgram) {
    EXPECT_DEATH(
        {
            Host second;
            Loop hosted(second);  // the other is of the parent's process
            hosted.post([] { throw std::runtime_error("it is not taken"); });
            second.run();
        },
        "it is not taken");
}

TEST_F(HostedLoopTest, AJobMayEndTheLoop) {
    int later = 0;
    auto alive = std::make_shared<int>(0);
    loop->post([&] {
        loop.reset();
        EXPECT_FALSE(host.is_gone);
        EXPECT_THROW(futon::call_back(event.waiting(), [](WaitResult) {}), futon::NoExecutor);
        host.turn();
    });
    loop->post([&, alive] { ++later; });
    futon::call_back(event.waiting(), [alive](WaitResult) {});

    host.run();

    EXPECT_TRUE(host.is_gone);
    EXPECT_EQ(later, 0);
    EXPECT_EQ(alive.use_count(), 1);
    EXPECT_EQ(waiting_at(event), 0u);
}

TEST_F(HostedLoopTest, ATimerMayEndTheLoop) {
    int later = 0;
    loop->post_after(0ms, [&] { loop.reset(); });
    for (int i = 0; i < 3; ++i) loop->post_after(0ms, [&] { ++later; });

    while (!host.is_gone) host.turn();

    EXPECT_EQ(later, 0);
}

TEST_F(HostedLoopTest, AJobWithinAJobMayEndTheLoop) {
    int later = 0;
    loop->post([&] {
        loop->post([&] { loop.reset(); });
        while (loop) host.turn();
        EXPECT_FALSE(host.is_gone);
    });
    loop->post_after(0ms, [&] { ++later; });

    while (!host.is_gone) host.turn();

    EXPECT_TRUE(host.is_gone);
    EXPECT_LE(later, 1);
}

TEST_F(HostedLoopTest, AHandlerMayEndTheLoop) {
    loop->set_unhandled_handler([&](std::exception_ptr) { loop.reset(); });
    loop->post([] { throw std::runtime_error("job"); });
    loop->post([] { ADD_FAILURE(); });

    while (!host.is_gone) host.turn();

    EXPECT_TRUE(host.is_gone);
}

/// Wakes no host: tells that it was called, and returns when it may.
struct SlowWaker final : futon::core::HostWaker {
    void wake() noexcept override {
        is_called.count_down();
        may_return.wait();
    }

    std::latch is_called{1};
    std::latch may_return{1};
};

class LoopWithWaker final : public HostedLoop {
public:
    explicit LoopWithWaker(std::shared_ptr<SlowWaker> waker) { set_waker(std::move(waker)); }
    ~LoopWithWaker() override { finish(); }

    using HostedLoop::run_ready;
    int wakes = 0;

private:
    void wake() noexcept override { ++wakes; }
    void set_timer(Clock::time_point) noexcept override {}
};

TEST(HostWakerTest, TheLoopRunsAndEndsWhileAThreadIsInItsWaker) {
    const auto waker = std::make_shared<SlowWaker>();
    auto loop = std::make_unique<LoopWithWaker>(waker);
    int ran = 0;
    std::jthread poster([&, to = loop.get()] { to->post([&] { ++ran; }); });
    waker->is_called.wait();

    loop->run_ready();
    EXPECT_EQ(ran, 1);
    EXPECT_EQ(loop->wakes, 0);
    loop.reset();

    waker->may_return.count_down();
}

TEST(HostWakerTest, TheLoopsOwnThreadDoesWithoutIt) {
    const auto waker = std::make_shared<SlowWaker>();
    LoopWithWaker loop(waker);

    loop.post([] {});

    EXPECT_EQ(loop.wakes, 1);
    EXPECT_FALSE(waker->is_called.try_wait());
    loop.run_ready();
}

TEST_F(HostedLoopTest, OtherThreadsNotifyWhileItEnds) {
    for (int round = 0; round < 500; ++round) {
        std::atomic<int> word{0};
        auto handle = futon::call_back(futon::waiting(word, 0), [](WaitResult) {});
        std::jthread waker([&] {
            word = 1;
            futon::notify(word);
        });
        if (round % 2 == 0) host.turn();
        loop.reset();
        loop.reset(new Loop(host));
    }
}

}  // namespace
