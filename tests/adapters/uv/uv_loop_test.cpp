// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include <futon/uv.hpp>

#include "adapters/uv/uv_host.hpp"
#include "support/errors.hpp"
#include "support/gtest.hpp"
#include "support/observed_pace.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::WaitResult;
using futon::test::error_on_another_thread;
using futon::test::UvHost;
using futon::test::waiting_at;

class UvLoop : public testing::Test {
protected:
    futon::Event event;
    UvHost host;
};

TEST_F(UvLoop, ANullLoopIsRefused) {
    EXPECT_THROW(futon::uv::Loop(nullptr), std::invalid_argument);
    host.post([] {});  // the agent is as before
    host.run();
}

TEST_F(UvLoop, AClosedLoopIsRefused) {
    uv_loop_t closed;
    ASSERT_EQ(uv_loop_init(&closed), 0);
    ASSERT_EQ(uv_loop_close(&closed), 0);

    EXPECT_THROW(futon::uv::Loop loop(&closed), std::invalid_argument);
}

TEST_F(UvLoop, ErrorsNameTheClassThatTheProgramMade) {
    EXPECT_EQ(error_on_another_thread([&] { host.loop().post_after(1ms, [] {}); }),
              "futon::uv::Loop::post_after" + futon::test::loop_thread_rule);
    EXPECT_EQ(error_on_another_thread([&] { host.loop().close(); }),
              "futon::uv::Loop::close" + futon::test::loop_thread_rule);
}

TEST_F(UvLoop, LibuvRefusesToCloseALoopTooEarly) {
    uv_loop_t uv;
    ASSERT_EQ(uv_loop_init(&uv), 0);
    {
        futon::uv::Loop loop(&uv);
        EXPECT_EQ(uv_loop_close(&uv), UV_EBUSY);
    }
    EXPECT_EQ(uv_loop_close(&uv), UV_EBUSY);
    uv_run(&uv, UV_RUN_DEFAULT);
    EXPECT_EQ(uv_loop_close(&uv), 0);
}

TEST_F(UvLoop, AnIdleLoopDoesNotKeepUvRun) {
    EXPECT_EQ(uv_loop_alive(host.uv()), 0);
    EXPECT_EQ(uv_run(host.uv(), UV_RUN_DEFAULT), 0);
}

TEST_F(UvLoop, WhatIsPendingKeepsUvRun) {
    auto handle = futon::call_back(event.waiting(), [](WaitResult) {});
    EXPECT_NE(uv_loop_alive(host.uv()), 0);

    handle.cancel();

    EXPECT_EQ(uv_loop_alive(host.uv()), 0);
}

TEST_F(UvLoop, ACancelledTimerDoesNotKeepUvRun) {
    auto timer = host.loop().post_after(1h, [] { ADD_FAILURE(); });
    EXPECT_NE(uv_loop_alive(host.uv()), 0);

    timer.cancel();

    EXPECT_EQ(uv_run(host.uv(), UV_RUN_DEFAULT), 0);
}

TEST_F(UvLoop, ACallbackOfLibuvMayWaitAndNotify) {
    int calls = 0;
    host.from_host([&] {
        futon::call_back(event.waiting(), [&](WaitResult) { ++calls; });
        host.from_host([&] { event.set(); });
    });

    host.run();

    EXPECT_EQ(calls, 1);
}

TEST_F(UvLoop, WaitsKeepTheirDeadlineWhenACallbackTookLong) {
    // libuv's own time stands still within a callback: a timer that begins late in one must not come early.
    const auto begin = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point end;
    host.from_host([&] {
        futon::test::until_after(begin + 5ms);
        host.loop().post_after(5ms, [&] { end = std::chrono::steady_clock::now(); });
    });

    host.run();

    EXPECT_GE(end - begin, 10ms);
}

TEST_F(UvLoop, ManyWaitsHaveFourHandles) {
    for (int i = 0; i < 100; ++i) futon::call_back(event.waiting(), 1h, [](WaitResult) {});

    int handles = 0;
    uv_walk(
        host.uv(), [](uv_handle_t*, void* count) { ++*static_cast<int*>(count); }, &handles);

    EXPECT_EQ(handles, 4);
}

// A turn of libuv's begins after its poll, where timers are.
TEST_F(UvLoop, ATimerOfLibuvsFindsThatTheLoopHasToldThatItIsAwake) {
    futon::test::ObservedPace pace(futon::Agent::current().pace());
    for (int i = 0; i < 3; ++i) {
        host.from_host([] { futon::test::ObservedPace::compute(); });
        host.turn();
    }
    bool came_at_once = true;
    host.from_timer([&] { came_at_once = pace.comes_at_once(); }, 1ms);

    uv_run(host.uv(), UV_RUN_DEFAULT);

    EXPECT_FALSE(came_at_once);
}

TEST_F(UvLoop, HandlesAreClosedInACallbackOfLibuv) {
    host.from_host([&] { host.end_loop(); });

    EXPECT_EQ(uv_run(host.uv(), UV_RUN_DEFAULT), 0);

    int handles = 0;
    uv_walk(
        host.uv(), [](uv_handle_t*, void* count) { ++*static_cast<int*>(count); }, &handles);
    EXPECT_EQ(handles, 0);
}

TEST_F(UvLoop, TwoUvLoopsOfOneThread) {
    UvHost inner;
    int calls = 0;
    inner.loop().post([&] { ++calls; });
    host.loop().post([&] { ++calls; });

    inner.run();
    EXPECT_EQ(calls, 1);
    host.run();

    EXPECT_EQ(calls, 2);
}

TEST_F(UvLoop, RunsOnceAndWithoutWaiting) {
    int calls = 0;
    futon::call_back(event.waiting(), [&](WaitResult) { ++calls; });
    EXPECT_NE(uv_run(host.uv(), UV_RUN_NOWAIT), 0);
    std::thread([&] { event.set(); }).join();

    EXPECT_EQ(uv_run(host.uv(), UV_RUN_ONCE), 0);

    EXPECT_EQ(calls, 1);
}

TEST(UvLoopDeath, AnExceptionWithoutAHandlerEndsTheProgram) {
    EXPECT_DEATH(
        {
            UvHost host;
            host.post([] { throw std::runtime_error("it is not taken"); });
            host.run();
        },
        "it is not taken");
}

TEST(UvLoopDeath, AnotherThreadMayNotDestroyIt) {
    EXPECT_DEATH(
        {
            uv_loop_t uv;
            uv_loop_init(&uv);
            auto* const loop = new futon::uv::Loop(&uv);
            std::thread([&] { delete loop; }).join();
        },
        "an agent ends on the thread that made it");
}

TEST_F(UvLoop, RunningItOnAnotherThreadEndsTheProgram) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            host.post([] {});
            std::jthread([&] { host.run(); }).join();
        },
        "a loop belongs to the thread that made it");
}

TEST_F(UvLoop, RunningItInAJobEndsTheProgram) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            host.post([&] {
                host.post([] {});
                uv_run(host.uv(), UV_RUN_DEFAULT);
            });
            host.run();
        },
        "uv_run is not called by a job");
}

}  // namespace
