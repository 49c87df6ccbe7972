// SPDX-License-Identifier: MIT
#include <chrono>
#include <stdexcept>
#include <stop_token>

#include <futon/futon.hpp>

#include "support/gtest.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::Promise;
using futon::WaitResult;
using Clock = std::chrono::steady_clock;

TEST(Sleep, EndsNotBeforeItsDeadline) {
    EventLoop loop;
    const auto begin = Clock::now();

    EXPECT_EQ(loop.run_until(futon::sleep_for(5ms)), WaitResult::ok);

    EXPECT_GE(Clock::now() - begin, 5ms);
}

TEST(Sleep, BeginsWhenItIsCalled) {
    EventLoop loop;
    const auto begin = Clock::now();
    auto first = futon::sleep_for(5ms);
    auto second = futon::sleep_until(begin + 5ms);

    EXPECT_EQ(loop.run_until(first), WaitResult::ok);
    EXPECT_EQ(loop.run_until(second), WaitResult::ok);
}

TEST(Sleep, OfNoTimeIsOk) {
    EventLoop loop;
    EXPECT_EQ(loop.run_until(futon::sleep_for(0ms)), WaitResult::ok);
    EXPECT_EQ(loop.run_until(futon::sleep_for(-1ms)), WaitResult::ok);
}

TEST(Sleep, EndsWithAStop) {
    EventLoop loop;
    std::stop_source stop;
    auto sleep = futon::sleep_for(1h, stop.get_token());
    stop.request_stop();

    EXPECT_EQ(loop.run_until(std::move(sleep)), WaitResult::cancelled);
}

TEST(Sleep, KeepsItsLoopRunningAndEndsWithIt) {
    EventLoop loop;
    bool has_slept = false;
    const auto sleeper = [&]() -> futon::Promise<void> {
        const auto sleep = futon::sleep_for(1ms);
        co_await sleep;
        has_slept = true;
    };
    static_cast<void>(sleeper());
    static_cast<void>(futon::sleep_for(1ms));

    loop.run();

    EXPECT_TRUE(has_slept);
}

TEST(Sleep, OfNoTimeLetsOthersRun) {
    EventLoop loop;
    bool has_run = false;
    auto sleeper = [&]() -> Promise<int> {
        int rounds = 0;
        while (!has_run) {
            co_await futon::sleep_for(0ms);
            ++rounds;
        }
        co_return rounds;
    };
    auto sleeping = sleeper();
    loop.post([&] { has_run = true; });

    EXPECT_GE(loop.run_until(sleeping), 1);
}

TEST(Sleep, EndsWithAStopThatWasRequestedBefore) {
    EventLoop loop;
    std::stop_source stop;
    stop.request_stop();

    EXPECT_EQ(loop.run_until(futon::sleep_for(0ms, stop.get_token())), WaitResult::cancelled);
    EXPECT_EQ(loop.run_until(futon::sleep_for(1h, stop.get_token())), WaitResult::cancelled);
}

TEST(Sleep, IsRefusedByTheCallWhereThereIsNoLoop) {
    EXPECT_THROW(static_cast<void>(futon::sleep_for(1ms)), futon::NoExecutor);
}

}  // namespace
