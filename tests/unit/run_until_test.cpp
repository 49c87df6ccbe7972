// SPDX-License-Identifier: MIT
#include <atomic>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"

namespace {

using futon::EventLoop;
using futon::notify;
using futon::Promise;
using futon::wait_async;
using futon::WaitResult;

TEST(RunUntil, OfASettledPromiseRunsEarlierContinuationsFirst) {
    EventLoop loop;
    std::atomic<int> cell{0};
    std::vector<int> order;
    auto promise = wait_async(cell, 0).promise();
    for (const int i : {1, 2, 3}) static_cast<void>(promise.then([&, i](WaitResult) { order.push_back(i); }));
    notify(cell);
    loop.poll();
    EXPECT_TRUE(promise.is_settled());
    EXPECT_TRUE(order.empty());

    loop.run_until(promise);

    EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

TEST(RunUntil, OfASettledPromiseResumesItsAwaiterFirst) {
    EventLoop loop;
    std::atomic<int> cell{0};
    bool has_resumed = false;
    auto promise = wait_async(cell, 0).promise();
    const auto awaiting = [&]() -> Promise<void> {
        co_await promise;
        has_resumed = true;
    };
    const auto awaiter = awaiting();
    notify(cell);
    loop.poll();
    EXPECT_TRUE(promise.is_settled());

    loop.run_until(promise);

    EXPECT_TRUE(has_resumed);
}

TEST(RunUntil, ThrowsWhenThePromisesLoopEnds) {
    EventLoop outer;
    std::optional<EventLoop> inner(std::in_place);
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0).promise();
    outer.post([&] { inner.reset(); });

    EXPECT_THROW(outer.run_until(promise), std::logic_error);

    EXPECT_FALSE(inner.has_value());
}

TEST(RunUntil, ThrowsWhenTheLoopOfItsCoroutineEnds) {
    EventLoop outer;
    std::optional<EventLoop> inner(std::in_place);
    std::atomic<int> cell{0};
    const auto waiting = [&]() -> Promise<int> {
        co_await wait_async(cell, 0);
        co_return 7;
    };
    auto promise = waiting();
    outer.post([&] { inner.reset(); });

    EXPECT_THROW(outer.run_until(promise), std::logic_error);

    EXPECT_FALSE(inner.has_value());
}

TEST(RunUntil, ReturnsAlthoughAnInnerLoopWithAContinuationEnds) {
    EventLoop outer;
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0).promise();
    outer.post([&] {
        {
            const EventLoop inner;
            static_cast<void>(promise.then([](WaitResult) {}));
        }
        notify(cell);
    });

    EXPECT_EQ(outer.run_until(promise), WaitResult::ok);
}

TEST(Poll, RunsJobsAlthoughStopped) {
    EventLoop loop;
    bool has_run = false;
    loop.stop();
    loop.post([&] { has_run = true; });

    loop.poll();

    EXPECT_TRUE(has_run);
}

TEST(Poll, KeepsAStopForTheNextRun) {
    EventLoop loop;
    bool has_run = false;
    loop.stop();
    loop.poll();
    loop.post([&] { has_run = true; });

    loop.run();
    const bool ran_although_stopped = has_run;
    loop.run();

    EXPECT_FALSE(ran_although_stopped);
    EXPECT_TRUE(has_run);
}

}  // namespace
