// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>
#include <variant>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using futon::Deadline;
using futon::EventLoop;
using futon::notify;
using futon::wait_async;
using futon::WaitResult;
using futon::test::until_after;
using futon::test::waiting_at;

/// The result of an answer, with or without a promise.
futon::Promise<WaitResult> result_of(futon::WaitAsyncResult answer) {
    co_return co_await answer;
}

TEST(WaitAsync, ReturnsNotEqualWithoutAPromise) {
    EventLoop loop;
    std::atomic<int> cell{1};

    const auto answer = wait_async(cell, 0);

    EXPECT_FALSE(answer.async());
    EXPECT_EQ(answer.value(), WaitResult::not_equal);
}

TEST(WaitAsync, ReturnsTimedOutWithoutAPromiseForATimeoutOfZero) {
    EventLoop loop;
    std::atomic<int> cell{0};

    const auto answer = wait_async(cell, 0, 0ms);

    EXPECT_FALSE(answer.async());
    EXPECT_EQ(answer.value(), WaitResult::timed_out);
}

TEST(WaitAsync, ReturnsNotEqualRatherThanTimedOut) {
    EventLoop loop;
    std::atomic<int> cell{1};

    EXPECT_EQ(wait_async(cell, 0, 0ms).value(), WaitResult::not_equal);
}

TEST(WaitAsync, ReturnsNotEqualRatherThanCancelled) {
    EventLoop loop;
    std::atomic<int> cell{1};
    std::stop_source source;
    source.request_stop();

    EXPECT_EQ(wait_async(cell, 0, source.get_token()).value(), WaitResult::not_equal);
}

TEST(WaitAsync, ReturnsCancelledWithoutAPromiseWhenStopWasRequestedBefore) {
    EventLoop loop;
    std::atomic<int> cell{0};
    std::stop_source source;
    source.request_stop();

    EXPECT_EQ(wait_async(cell, 0, source.get_token()).value(), WaitResult::cancelled);
}

TEST(WaitAsync, IsNotQueuedWhenItReturnsAValue) {
    EventLoop loop;
    std::atomic<int> cell{0};

    static_cast<void>(wait_async(cell, 1));
    static_cast<void>(wait_async(cell, 0, 0ms));

    EXPECT_EQ(waiting_at(cell), 0u);
}

TEST(WaitAsync, ReturnsAPromiseWhenQueued) {
    EventLoop loop;
    std::atomic<int> cell{0};

    const auto answer = wait_async(cell, 0);

    EXPECT_TRUE(answer.async());
    EXPECT_EQ(waiting_at(cell), 1u);
}

TEST(WaitAsync, ValueThrowsWhenItReturnedAPromise) {
    EventLoop loop;
    std::atomic<int> cell{0};

    const auto answer = wait_async(cell, 0);

    EXPECT_THROW(answer.value(), std::logic_error);
}

TEST(WaitAsync, PromiseThrowsWhenItReturnedAValue) {
    EventLoop loop;
    std::atomic<int> cell{0};

    auto answer = wait_async(cell, 1);

    EXPECT_THROW(answer.promise(), std::logic_error);
}

TEST(WaitAsync, PromiseSettlesAsOkWhenNotified) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0).promise();

    notify(cell);

    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(WaitAsync, PromiseTimesOutNoEarlierThanItsDeadline) {
    EventLoop loop;
    std::atomic<int> cell{0};

    for (const auto timeout : {1ns, 1000ns, 100'000ns, 3'000'000ns}) {
        const auto begin = Clock::now();
        EXPECT_EQ(loop.run_until(result_of(wait_async(cell, 0, timeout))), WaitResult::timed_out);
        EXPECT_GE(Clock::now() - begin, timeout);
    }
}

TEST(WaitAsync, PromiseSettlesAsCancelledAfterAStopRequest) {
    EventLoop loop;
    std::atomic<int> cell{0};
    std::stop_source source;
    auto promise = wait_async(cell, 0, {1h, source.get_token()}).promise();

    source.request_stop();

    EXPECT_EQ(waiting_at(cell), 0u);
    EXPECT_EQ(loop.run_until(promise), WaitResult::cancelled);
}

TEST(WaitAsync, NotifyRunsNoReaction) {
    EventLoop loop;
    std::atomic<int> cell{0};
    bool has_run = false;
    static_cast<void>(wait_async(cell, 0).promise().then([&](WaitResult) { has_run = true; }));

    notify(cell);

    EXPECT_FALSE(has_run);
}

TEST(WaitAsync, ReactionsRunInFifoOrder) {
    EventLoop loop;
    std::atomic<int> cell{0};
    std::vector<int> order;
    std::vector<int> expected;
    for (int i = 0; i < 100; ++i) {
        static_cast<void>(wait_async(cell, 0).promise().then([&, i](WaitResult) { order.push_back(i); }));
        expected.push_back(i);
    }

    notify(cell);
    loop.run();

    EXPECT_EQ(order, expected);
}

TEST(WaitAsync, SettlesOnItsOwnThreadWhenAnotherNotifies) {
    EventLoop loop;
    std::atomic<int> cell{0};
    std::thread::id settled_on;
    static_cast<void>(wait_async(cell, 0).promise().then([&](WaitResult) { settled_on = std::this_thread::get_id(); }));
    const std::jthread notifier([&] { notify(cell); });

    loop.run();

    EXPECT_EQ(settled_on, std::this_thread::get_id());
}

TEST(WaitAsync, SettlesAllWaitsWithOneDeadline) {
    EventLoop loop;
    std::atomic<int> cell{0};
    int timed_out = 0;
    for (int i = 0; i < 1000; ++i)
        static_cast<void>(result_of(wait_async(cell, 0, 2ms)).then([&](WaitResult result) {
            timed_out += result == WaitResult::timed_out ? 1 : 0;
        }));

    loop.run();

    EXPECT_EQ(timed_out, 1000);
    EXPECT_EQ(waiting_at(cell), 0u);
}

TEST(WaitAsync, ReturnsTimedOutForAPassedDeadline) {
    EventLoop loop;
    std::atomic<int> cell{0};
    const auto deadline = Clock::now() + 1us;
    until_after(deadline);

    const auto answer = wait_async(cell, 0, deadline);

    EXPECT_EQ(answer.value(), WaitResult::timed_out);
}

}  // namespace
