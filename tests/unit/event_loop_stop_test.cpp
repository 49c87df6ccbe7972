// SPDX-License-Identifier: MIT
#include <atomic>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <gtest/gtest.h>

#include <futon/futon.hpp>

#include "support/waiting.hpp"

namespace {

using futon::EventLoop;
using futon::notify;
using futon::Promise;
using futon::wait_async;
using futon::WaitResult;
using futon::test::waiting_at;

TEST(EventLoop, StopsFromInsideAJob) {
    EventLoop loop;
    bool has_run = false;
    loop.post([&] { loop.stop(); });
    loop.post([&] { has_run = true; });

    loop.run();

    EXPECT_FALSE(has_run);
}

TEST(EventLoop, GoesOnWhereItWasStopped) {
    EventLoop loop;
    bool has_run = false;
    loop.post([&] { loop.stop(); });
    loop.post([&] { has_run = true; });
    loop.run();

    loop.run();

    EXPECT_TRUE(has_run);
}

TEST(EventLoop, StopsFromAnotherThread) {
    EventLoop loop;
    std::atomic<int> cell{0};
    const auto promise = wait_async(cell, 0).promise();
    const std::jthread stopper([&] { loop.stop(); });

    loop.run();

    EXPECT_FALSE(promise.is_settled());
}

TEST(EventLoop, ReturnsAtOnceWhenStoppedBefore) {
    EventLoop loop;
    bool has_run = false;
    loop.post([&] { has_run = true; });
    loop.stop();

    loop.run();

    EXPECT_FALSE(has_run);
}

TEST(EventLoop, IsStoppedOnceByStopsThatComeTogether) {
    EventLoop loop;
    bool has_run = false;
    loop.stop();
    loop.stop();
    loop.run();
    loop.post([&] { has_run = true; });

    loop.run();

    EXPECT_TRUE(has_run);
}

TEST(EventLoop, CanBeStoppedManyTimes) {
    EventLoop loop;
    std::atomic<int> cell{0};
    const auto promise = wait_async(cell, 0).promise();
    std::atomic<int> returns{0};
    std::jthread stopper([&] {
        for (int i = 0; i < 500; ++i) {
            loop.stop();
            futon::test::until([&] { return returns.load() > i; });
        }
    });

    for (int i = 0; i < 500; ++i) {
        loop.run();
        ++returns;
    }

    EXPECT_EQ(returns.load(), 500);
}

TEST(RunUntil, GivesTheValue) {
    EventLoop loop;
    const auto seven = []() -> Promise<int> { co_return 7; };

    EXPECT_EQ(loop.run_until(seven()), 7);
}

TEST(RunUntil, GivesAReferenceToTheValueOfAPromiseThatIsKept) {
    EventLoop loop;
    const auto seven = []() -> Promise<int> { co_return 7; };
    auto promise = seven();

    const int& first = loop.run_until(promise);
    const int& second = loop.run_until(promise);

    EXPECT_EQ(&first, &second);
}

TEST(RunUntil, ThrowsTheException) {
    EventLoop loop;
    const auto broken = []() -> Promise<void> {
        throw std::runtime_error("broken");
        co_return;
    };

    EXPECT_THROW(loop.run_until(broken()), std::runtime_error);
}

TEST(RunUntil, ReturnsWhileOtherWaitsArePending) {
    EventLoop loop;
    std::atomic<int> pending{0};
    std::atomic<int> cell{0};
    const auto other = wait_async(pending, 0).promise();
    loop.post([&] { notify(cell); });

    const WaitResult result = loop.run_until(wait_async(cell, 0).promise());

    EXPECT_EQ(result, WaitResult::ok);
    EXPECT_FALSE(other.is_settled());
}

TEST(RunUntil, SleepsForAnUnrefdWait) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0).promise();
    promise.unref();
    const std::jthread notifier([&] { notify(cell); });

    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(RunUntil, RunsWhoListenedBeforeFirst) {
    EventLoop loop;
    std::atomic<int> cell{0};
    bool has_run = false;
    auto promise = wait_async(cell, 0).promise();
    static_cast<void>(promise.then([&](WaitResult) { has_run = true; }));
    notify(cell);

    loop.run_until(promise);

    EXPECT_TRUE(has_run);
}

TEST(RunUntil, ThrowsOperationCanceledWhenStopped) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0).promise();
    loop.post([&] { loop.stop(); });

    try {
        loop.run_until(promise);
        FAIL() << "it did not throw";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::operation_canceled);
    }
}

TEST(RunUntil, LeavesThePromiseAsItWasWhenStopped) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0).promise();
    loop.stop();
    EXPECT_THROW(loop.run_until(promise), std::system_error);
    notify(cell);

    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(RunUntil, DropsATemporaryPromiseWhenStopped) {
    EventLoop loop;
    std::atomic<int> cell{0};
    loop.stop();

    EXPECT_THROW(loop.run_until(wait_async(cell, 0).promise()), std::system_error);

    EXPECT_EQ(waiting_at(cell), 0u);
}

TEST(RunUntil, ReturnsASettledPromiseAlthoughStopped) {
    EventLoop loop;
    const auto seven = []() -> Promise<int> { co_return 7; };
    auto promise = seven();
    loop.stop();

    EXPECT_EQ(loop.run_until(promise), 7);
}

}  // namespace
