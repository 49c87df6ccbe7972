// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <futon/core/driver/call_back.hpp>
#include <futon/futon.hpp>
#include <futon/glib.hpp>

#include "adapters/contention.hpp"
#include "main_context.hpp"
#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::WaitResult;
using futon::glib::Loop;
using futon::test::ContendingTasks;
using futon::test::expect_shared_by_loops_and_threads;
using futon::test::MainContext;
using futon::test::waiting_at;
using futon::test::Workers;

TEST(GlibLoopEnd, AContextThatItsMakerReleasedFirstIsNotTouched) {
    std::atomic<int> word{0};
    {
        std::optional<MainContext> context(std::in_place);
        Loop loop(context->get());
        futon::call_back(futon::waiting(word, 0), [](WaitResult) { FAIL(); });
        context.reset();

        loop.post([] { FAIL(); });
        EXPECT_EQ(waiting_at(word), 1u);
    }
    EXPECT_EQ(waiting_at(word), 0u);
}

TEST(GlibLoopEnd, AnotherPartyThatDestroysTheSourceClosesTheLoop) {
    MainContext context;
    Loop loop(context.get());
    std::atomic<int> word{0};
    futon::call_back(futon::waiting(word, 0), [](WaitResult) { FAIL(); });

    g_source_destroy(loop.source());

    EXPECT_FALSE(loop.is_attached());
    EXPECT_TRUE(loop.is_closed());
    EXPECT_EQ(waiting_at(word), 0u);
    EXPECT_THROW(futon::call_back(futon::waiting(word, 0), [](WaitResult) {}), futon::NoExecutor);
}

TEST(GlibLoopEnd, AJobMayDestroyTheSource) {
    MainContext context;
    Loop loop(context.get());
    std::atomic<int> word{0};
    futon::call_back(futon::waiting(word, 0), [](WaitResult) { FAIL(); });

    loop.post([&] { g_source_destroy(loop.source()); });
    context.run_until([&] { return !loop.is_attached(); });

    EXPECT_TRUE(loop.is_closed());
    EXPECT_EQ(waiting_at(word), 0u);
}

TEST(GlibLoopEnd, AJobMayDestroyTheLoop) {
    MainContext context;
    auto loop = std::make_unique<Loop>(context.get());
    std::atomic<int> word{0};
    futon::call_back(futon::waiting(word, 0), [](WaitResult) { FAIL(); });

    loop->post([&] {
        loop.reset();
        context.quit();
    });
    loop->post([] { FAIL(); });
    context.run();

    EXPECT_EQ(waiting_at(word), 0u);
    EXPECT_NO_THROW(Loop(context.get()));
}

TEST(GlibLoopEnd, AJobMayDestroyTheLoopWithinAMainLoopOfItsOwn) {
    MainContext context;
    auto loop = std::make_unique<Loop>(context.get());
    bool is_gone = false;

    loop->post([&] {
        loop->post([&] {
            loop.reset();
            is_gone = true;
        });
        context.run_until([&] { return is_gone; });
        context.quit();
    });
    context.run();

    EXPECT_TRUE(is_gone);
}

TEST(GlibLoopEnd, LeavesNoWaiterBehindWhenQuitWhileWorkersHoldTheLock) {
    futon::AsyncLock lock;
    const Workers workers(lock);
    MainContext context;
    Loop loop(context.get());
    ContendingTasks tasks(lock, [&] { context.quit(); });
    loop.post([&] { tasks.begin(); });  // not before the loop runs: it could not be quit by then
    context.run();
}

TEST(GlibLoopMisuse, ANullContextIsRefused) {
    EXPECT_THROW(Loop(nullptr), std::invalid_argument);
}

TEST(GlibLoopMisuse, AContextThatAnotherThreadRunsIsRefused) {
    MainContext context;
    std::atomic<bool> is_running{false};
    context.attach([&] {
        is_running = true;
        return false;
    });
    std::jthread runner([&] { context.run(); });
    futon::test::until([&] { return is_running.load(); });

    EXPECT_THROW(Loop(context.get()), std::logic_error);

    context.attach([&] {
        context.quit();
        return false;
    });
}

TEST(GlibLoopMisuseDeathTest, AContextThatIsRunByAnotherThreadEndsTheProgram) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            MainContext context;
            Loop loop(context.get());
            std::thread([&] { context.run(); }).join();
        },
        "run by the thread that made the loop");
}

TEST(GlibLoopMisuseDeathTest, AnExceptionWithoutAHandlerEndsTheProgram) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            MainContext context;
            Loop loop(context.get());
            loop.post([] { throw std::runtime_error("no paper"); });
            context.run();
        },
        "no paper");
}

TEST(GlibLoopThreads, UsesTheThreadDefaultContext) {
    std::jthread thread([] {
        MainContext context;
        g_main_context_push_thread_default(context.get());
        {
            Loop loop;
            EXPECT_EQ(loop.context(), context.get());
            loop.post([&] { context.quit(); });
            context.run();
        }
        g_main_context_pop_thread_default(context.get());
    });
}

TEST(GlibLoopThreads, TwoThreadsWithLoopsAndTwoThatBlockShareALock) {
    expect_shared_by_loops_and_threads([](auto add) {
        MainContext context;
        Loop loop(context.get());
        add([&] { context.quit(); }, [&] { context.run(); });
    });
}

}  // namespace
