// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <QtCore/QEventLoop>
#include <QtCore/QThread>
#include <QtCore/QTimer>

#include <futon/core/driver/call_back.hpp>
#include <futon/futon.hpp>
#include <futon/qt.hpp>

#include "adapters/contention.hpp"
#include "application.hpp"
#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::WaitResult;
using futon::qt::Loop;
using futon::test::Application;
using futon::test::ContendingTasks;
using futon::test::expect_shared_by_loops_and_threads;
using futon::test::waiting_at;
using futon::test::Workers;

TEST(QtLoopEnd, TheApplicationMayGoFirst) {
    std::atomic<int> word{0};
    {
        auto app = std::make_unique<Application>();
        Loop loop;
        futon::call_back(futon::waiting(word, 0), 1h, [](WaitResult) { FAIL(); });
        loop.post([&] { app->quit(); });
        app->run();
        loop.post([] { FAIL(); });  // its event goes with the application
        app.reset();

        loop.post([] { FAIL(); });
        auto timer = loop.post_after(0ms, [] { FAIL(); });
        EXPECT_EQ(waiting_at(word), 1u);
    }
    EXPECT_EQ(waiting_at(word), 0u);
}

TEST(QtLoopEnd, AJobMayDestroyTheLoop) {
    Application app;
    auto loop = std::make_unique<Loop>();
    std::atomic<int> word{0};
    futon::call_back(futon::waiting(word, 0), [](WaitResult) { FAIL(); });

    loop->post([&] {
        loop.reset();
        app.quit();
    });
    loop->post([] { FAIL(); });
    app.run();

    EXPECT_EQ(waiting_at(word), 0u);
    EXPECT_NO_THROW(Loop());
}

TEST(QtLoopEnd, ATimerMayDestroyTheLoop) {
    Application app;
    auto loop = std::make_unique<Loop>();

    auto timer = loop->post_after(1ms, [&] {
        loop.reset();
        app.quit();
    });
    app.run();

    EXPECT_EQ(loop, nullptr);
}

TEST(QtLoopEnd, AJobMayDestroyTheLoopWithinAnEventLoopOfItsOwn) {
    Application app;
    auto loop = std::make_unique<Loop>();

    loop->post([&] {
        QEventLoop dialog;
        loop->post([&] {
            loop.reset();
            dialog.quit();
        });
        dialog.exec();
        app.quit();
    });
    app.run();

    EXPECT_EQ(loop, nullptr);
}

TEST(QtLoopEnd, LeavesNoWaiterBehindWhenQuitWhileWorkersHoldTheLock) {
    futon::AsyncLock lock;
    const Workers workers(lock);
    Application app;
    Loop loop;
    ContendingTasks tasks(lock, [&] { app.quit(); });
    loop.post([&] { tasks.begin(); });  // not before the loop runs: it could not be quit by then
    app.run();
}

TEST(QtLoopMisuse, AThreadWithoutADispatcherIsRefused) {
    EXPECT_THROW(Loop(), std::logic_error);  // no application

    Application app;
    std::jthread([] { EXPECT_THROW(Loop(), std::logic_error); }).join();
    std::jthread([] {
        QEventLoop makes_a_dispatcher;
        EXPECT_NO_THROW(Loop());
    }).join();
}

TEST(QtLoopMisuseDeathTest, AnExceptionWithoutAHandlerEndsTheProgram) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(
        {
            Application app;
            Loop loop;
            loop.post([] { throw std::runtime_error("no paper"); });
            app.run();
        },
        "no paper");
}

TEST(QtLoopThreads, RunsInAQThread) {
    class Thread final : public QThread {
    public:
        bool has_run = false;

    private:
        void run() override {
            Loop loop;
            EXPECT_EQ(loop.thread(), this);
            auto timer = loop.post_after(1ms, [this] {
                has_run = true;
                quit();
            });
            exec();
        }
    };
    Application app;
    Thread thread;

    thread.start();
    thread.wait();

    EXPECT_TRUE(thread.has_run);
}

TEST(QtLoopThreads, TwoThreadsWithLoopsAndTwoThatBlockShareALock) {
    Application app;
    expect_shared_by_loops_and_threads([](auto add) {
        QEventLoop events;
        Loop loop;
        add([&] { events.quit(); }, [&] { events.exec(); });
    });
}

}  // namespace
