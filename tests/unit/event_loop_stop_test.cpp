// SPDX-License-Identifier: MIT
#include <atomic>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/promises.hpp"
#include "support/waiting.hpp"

namespace {

using futon::EventLoop;
using futon::notify;
using futon::wait_async;
using futon::WaitResult;
using futon::test::rejected;
using futon::test::settled;
using futon::test::waiting_at;

TEST(EventLoop, StopInAJobEndsRun) {
    EventLoop loop;
    bool has_run = false;
    loop.post([&] { loop.stop(); });
    loop.post([&] { has_run = true; });

    loop.run();

    EXPECT_FALSE(has_run);
}

TEST(EventLoop, RunsRemainingJobsAfterAStop) {
    EventLoop loop;
    bool has_run = false;
    loop.post([&] { loop.stop(); });
    loop.post([&] { has_run = true; });
    loop.run();

    loop.run();

    EXPECT_TRUE(has_run);
}

TEST(EventLoop, StopFromAnotherThreadEndsRun) {
    EventLoop loop;
    std::atomic<int> cell{0};
    const auto promise = wait_async(cell, 0).promise();
    const std::jthread stopper([&] { loop.stop(); });

    loop.run();

    EXPECT_FALSE(promise.is_settled());
}

TEST(EventLoop, RunReturnsAtOnceWhenStoppedBefore) {
    EventLoop loop;
    bool has_run = false;
    loop.post([&] { has_run = true; });
    loop.stop();

    loop.run();

    EXPECT_FALSE(has_run);
}

TEST(EventLoop, TwoStopsBeforeRunEndOneRun) {
    EventLoop loop;
    bool has_run = false;
    loop.stop();
    loop.stop();
    loop.run();
    loop.post([&] { has_run = true; });

    loop.run();

    EXPECT_TRUE(has_run);
}

TEST(EventLoop, MayBeStoppedRepeatedly) {
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

TEST(RunUntil, ReturnsTheValue) {
    EventLoop loop;

    EXPECT_EQ(loop.run_until(settled(7)), 7);
}

TEST(RunUntil, ReturnsAReferenceToTheValueOfAnLvaluePromise) {
    EventLoop loop;
    auto promise = settled(7);

    const int& first = loop.run_until(promise);
    const int& second = loop.run_until(promise);

    EXPECT_EQ(&first, &second);
}

TEST(RunUntil, RethrowsTheExceptionOfThePromise) {
    EventLoop loop;

    EXPECT_THROW(loop.run_until(rejected()), std::runtime_error);
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

TEST(RunUntil, WaitsForAnUnrefdWait) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0).promise();
    promise.unref();
    const std::jthread notifier([&] { notify(cell); });

    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(RunUntil, RunsEarlierContinuationsBeforeItReturns) {
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
        FAIL() << "run_until() did not throw";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::operation_canceled);
    }
}

TEST(RunUntil, KeepsAnLvaluePromiseWhenStopped) {
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

TEST(RunUntil, ReturnsTheValueOfASettledPromiseAlthoughStopped) {
    EventLoop loop;
    auto promise = settled(7);
    loop.stop();

    EXPECT_EQ(loop.run_until(promise), 7);
}

}  // namespace
