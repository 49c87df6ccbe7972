// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/promises.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::notify;
using futon::Promise;
using futon::wait_async;
using futon::WaitResult;
using futon::test::rejected;
using futon::test::settled;

TEST(Coroutine, RunsAtOnceUntilItSuspends) {
    EventLoop loop;
    std::atomic<int> cell{0};
    bool has_started = false;
    const auto starting = [&]() -> Promise<void> {
        has_started = true;
        co_await wait_async(cell, 0);
    };

    const auto promise = starting();

    EXPECT_TRUE(has_started);
    EXPECT_FALSE(promise.is_settled());
}

TEST(Coroutine, SettlesItsPromiseWhenItReturns) {
    EXPECT_TRUE(settled(7).is_settled());
}

TEST(Coroutine, NeedsNoExecutorWhenItNeverSuspends) {
    int sum = 0;
    const auto adding = [&]() -> Promise<void> {
        sum += 1;
        co_return;
    };

    const auto promise = adding();

    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(sum, 1);
}

TEST(Coroutine, RejectsItsPromiseWhenItThrows) {
    EventLoop loop;

    EXPECT_THROW(loop.run_until(rejected()), std::runtime_error);
}

TEST(Coroutine, RejectsItsPromiseWhenItThrowsAfterAnAwait) {
    EventLoop loop;
    const auto throwing = []() -> Promise<int> {
        std::atomic<int> cell{0};
        co_await wait_async(cell, 0, 1ms);
        throw std::runtime_error("broken");
    };

    EXPECT_THROW(loop.run_until(throwing()), std::runtime_error);
}

TEST(Coroutine, ReturnsAMoveOnlyValue) {
    EventLoop loop;
    const auto boxed = []() -> Promise<std::unique_ptr<int>> { co_return std::make_unique<int>(7); };
    const auto forwarding = [&]() -> Promise<std::unique_ptr<int>> { co_return co_await boxed(); };

    EXPECT_EQ(*loop.run_until(forwarding()), 7);
}

TEST(Coroutine, DoesNotSuspendOnASettledPromise) {
    EventLoop loop;
    const auto awaiting = []() -> Promise<int> { co_return co_await settled(7); };

    EXPECT_TRUE(awaiting().is_settled());
}

TEST(Coroutine, IsResumedOnTheLoopAndNotInsideNotify) {
    EventLoop loop;
    std::atomic<int> cell{0};
    bool has_resumed = false;
    const auto awaiting = [&]() -> Promise<void> {
        co_await wait_async(cell, 0);
        has_resumed = true;
    };
    const auto promise = awaiting();

    notify(cell);
    const bool resumed_in_notify = has_resumed;
    loop.run();

    EXPECT_FALSE(resumed_in_notify);
    EXPECT_TRUE(has_resumed);
}

TEST(Coroutine, DoesNotSuspendOnAWaitThatReturnsAValue) {
    EventLoop loop;
    std::atomic<int> cell{0};
    const auto awaiting = [&]() -> Promise<WaitResult> { co_return co_await wait_async(cell, 1); };

    auto promise = awaiting();

    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(loop.run_until(promise), WaitResult::not_equal);
}

TEST(Coroutine, AwaitRethrowsTheExceptionOfThePromise) {
    EventLoop loop;
    const auto catching = []() -> Promise<bool> {
        try {
            co_await rejected();
            co_return false;
        } catch (const std::runtime_error&) {
            co_return true;
        }
    };

    EXPECT_TRUE(loop.run_until(catching()));
    EXPECT_NO_THROW(loop.run());
}

TEST(Coroutine, AwaitMovesTheValueOutOfATemporaryPromise) {
    EventLoop loop;
    const auto boxed = []() -> Promise<std::unique_ptr<int>> { co_return std::make_unique<int>(7); };
    const auto awaiting = [&]() -> Promise<int> {
        const std::unique_ptr<int> box = co_await boxed();
        co_return *box;
    };

    EXPECT_EQ(loop.run_until(awaiting()), 7);
}

TEST(Coroutine, AwaitLeavesTheValueInAnLvaluePromise) {
    EventLoop loop;
    const auto boxed = []() -> Promise<std::unique_ptr<int>> { co_return std::make_unique<int>(7); };
    const auto awaiting = [&]() -> Promise<int> {
        const auto promise = boxed();
        const std::unique_ptr<int>& first = co_await promise;
        const std::unique_ptr<int>& second = co_await promise;
        co_return *first + *second;
    };

    EXPECT_EQ(loop.run_until(awaiting()), 14);
}

TEST(Coroutine, ContinuesWhenItsPromiseIsDropped) {
    EventLoop loop;
    std::atomic<int> cell{0};
    bool has_resumed = false;
    const auto awaiting = [&]() -> Promise<void> {
        co_await wait_async(cell, 0);
        has_resumed = true;
    };

    static_cast<void>(awaiting());
    notify(cell);
    loop.run();

    EXPECT_TRUE(has_resumed);
}

TEST(Coroutine, RunRethrowsTheExceptionOfADroppedPromise) {
    EventLoop loop;
    std::atomic<int> cell{0};
    const auto throwing = [&]() -> Promise<void> {
        co_await wait_async(cell, 0);
        throw std::runtime_error("broken");
    };
    static_cast<void>(throwing());
    notify(cell);

    EXPECT_THROW(loop.run(), std::runtime_error);
}

TEST(Coroutine, AwaitsNestedCoroutines) {
    EventLoop loop;
    std::atomic<int> cell{0};
    struct Descent {
        std::atomic<int>& cell;
        Promise<int> operator()(int depth) const {
            if (depth == 0) {
                co_await wait_async(cell, 0);
                co_return 0;
            }
            co_return 1 + co_await (*this)(depth - 1);
        }
    };
    auto promise = Descent{cell}(500);

    notify(cell);

    EXPECT_EQ(loop.run_until(promise), 500);
}

TEST(Coroutine, SeveralAwaitersOfOnePromiseAreResumedInFifoOrder) {
    EventLoop loop;
    std::atomic<int> cell{0};
    std::vector<int> order;
    const auto promise = wait_async(cell, 0).promise();
    const auto awaiting = [&](int i) -> Promise<void> {
        co_await promise;
        order.push_back(i);
    };
    for (int i = 0; i < 4; ++i) static_cast<void>(awaiting(i));

    notify(cell);
    loop.run();

    EXPECT_EQ(order, (std::vector{0, 1, 2, 3}));
}

TEST(Coroutine, AwaitsAHundredThousandSettledPromisesInConstantStack) {
    EventLoop loop;
    const auto summing = []() -> Promise<int> {
        int sum = 0;
        for (int i = 0; i < 100'000; ++i) sum += co_await settled(1);
        co_return sum;
    };

    EXPECT_EQ(loop.run_until(summing()), 100'000);
}

TEST(Coroutine, AwaitsAHundredThousandWaitsInConstantStack) {
    EventLoop loop;
    std::atomic<int> cell{0};
    int woken = 0;
    const auto waiting = [&]() -> Promise<void> {
        co_await wait_async(cell, 0);
        ++woken;
    };
    for (int i = 0; i < 100'000; ++i) static_cast<void>(waiting());

    notify(cell);
    loop.run();

    EXPECT_EQ(woken, 100'000);
}

}  // namespace
