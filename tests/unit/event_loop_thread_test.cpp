// SPDX-License-Identifier: MIT
// A loop that is used on another thread than its own says so.
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <futon/core/loop/loop_executor.hpp>
#include <futon/futon.hpp>

#include "support/errors.hpp"
#include "support/gtest.hpp"
#include "support/promises.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::core::LoopExecutor;
using futon::test::error_on_another_thread;

TEST(EventLoop, IsRunOnItsOwnThreadOnly) {
    EventLoop loop;
    bool has_run = false;
    loop.post([&] { has_run = true; });

    EXPECT_EQ(error_on_another_thread([&] { loop.run(); }), "futon::EventLoop::run" + futon::test::loop_thread_rule);
    EXPECT_EQ(error_on_another_thread([&] { loop.poll(); }), "futon::EventLoop::poll" + futon::test::loop_thread_rule);
    EXPECT_EQ(error_on_another_thread([&] { loop.poll_one(); }),
              "futon::EventLoop::poll_one" + futon::test::loop_thread_rule);
    EXPECT_EQ(error_on_another_thread([&] { loop.native_handle(); }),
              "futon::EventLoop::native_handle" + futon::test::loop_thread_rule);

    EXPECT_FALSE(has_run);
    loop.run();
    EXPECT_TRUE(has_run);
}

TEST(EventLoop, RunUntilIsCalledOnItsOwnThreadOnly) {
    EventLoop loop;
    auto promise = futon::test::settled(7);

    EXPECT_EQ(error_on_another_thread([&] { loop.run_until(promise); }),
              "futon::EventLoop::run_until" + futon::test::loop_thread_rule);
    EXPECT_EQ(error_on_another_thread([&] { loop.run_then(std::move(promise), [](int) {}); }),
              "futon::EventLoop::run_then" + futon::test::loop_thread_rule);
}

TEST(EventLoop, ArmsTimersOnItsOwnThreadOnly) {
    EventLoop loop;
    bool has_run = false;
    const auto run = [&] { has_run = true; };

    EXPECT_EQ(error_on_another_thread([&] { loop.post_at(futon::Deadline(0ms), run); }),
              "futon::EventLoop::post_at" + futon::test::loop_thread_rule);
    EXPECT_EQ(error_on_another_thread([&] { loop.post_after(0ms, run); }),
              "futon::EventLoop::post_after" + futon::test::loop_thread_rule);

    loop.run();
    EXPECT_FALSE(has_run);
}

TEST(EventLoop, IsClosedAndKeptRunningOnItsOwnThreadOnly) {
    EventLoop loop;

    EXPECT_EQ(error_on_another_thread([&] { loop.close(); }),
              "futon::EventLoop::close" + futon::test::loop_thread_rule);
    EXPECT_EQ(error_on_another_thread([&] { static_cast<void>(loop.keep_running()); }),
              "futon::EventLoop::keep_running" + futon::test::loop_thread_rule);

    EXPECT_FALSE(loop.is_closed());
}

TEST(LoopExecutor, IsPolledOnItsOwnThreadOnly) {
    LoopExecutor executor([]() noexcept {});

    EXPECT_EQ(error_on_another_thread([&] { executor.poll(); }),
              "futon::core::LoopExecutor::poll" + futon::test::loop_thread_rule);
}

/// Each misuse aborts a process of its own, which is executed anew so that it may have threads.
class LoopThreadDeathTest : public testing::Test {
protected:
    void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(LoopThreadDeathTest, AskingForTheNextDeadlineOnAnotherThreadAborts) {
    const auto misuse = [] {
        LoopExecutor executor([]() noexcept {});
        std::thread([&] { static_cast<void>(executor.next_deadline()); }).join();
    };

    EXPECT_DEATH(misuse(), "broken rule: an executor's next deadline is asked for on the thread that made it");
}

TEST_F(LoopThreadDeathTest, ArmingOnAnotherThreadAborts) {
    struct NoTimer final : futon::Timer {
        void fire() noexcept override {}
    };
    const auto misuse = [] {
        EventLoop loop;
        NoTimer timer;
        std::thread([&] { loop.arm(timer, std::chrono::steady_clock::now()); }).join();
    };

    EXPECT_DEATH(misuse(), "broken rule: a loop's timers are armed on the thread that made it");
}

TEST_F(LoopThreadDeathTest, DestroyingALoopOnAnotherThreadAborts) {
    const auto misuse = [] {
        auto loop = std::make_unique<EventLoop>();
        loop->post([] {});
        std::thread([&] { loop.reset(); }).join();
    };

    EXPECT_DEATH(misuse(), "broken rule: an agent ends on the thread that made it");
}

}  // namespace
