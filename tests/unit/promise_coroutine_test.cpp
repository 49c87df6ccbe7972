// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <futon/futon.hpp>

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::notify;
using futon::Promise;
using futon::wait_async;
using futon::WaitResult;

Promise<int> settled(int value) {
    co_return value;
}

Promise<int> rejected() {
    throw std::runtime_error("broken");
    co_return 0;
}

TEST(Coroutine, StartsAtOnce) {
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

TEST(Coroutine, RunsOnAThreadWithoutAnExecutorIfItNeverSuspends) {
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

TEST(Coroutine, ReturnsAValueThatCanOnlyBeMoved) {
    EventLoop loop;
    const auto boxed = []() -> Promise<std::unique_ptr<int>> { co_return std::make_unique<int>(7); };
    const auto passing_on = [&]() -> Promise<std::unique_ptr<int>> { co_return co_await boxed(); };

    EXPECT_EQ(*loop.run_until(passing_on()), 7);
}

TEST(Coroutine, GoesOnAtOnceWhenWhatItAwaitsIsSettled) {
    EventLoop loop;
    const auto awaiting = []() -> Promise<int> { co_return co_await settled(7); };

    EXPECT_TRUE(awaiting().is_settled());
}

TEST(Coroutine, GoesOnLaterWhenWhatItAwaitsIsNotified) {
    EventLoop loop;
    std::atomic<int> cell{0};
    bool went_on = false;
    const auto awaiting = [&]() -> Promise<void> {
        co_await wait_async(cell, 0);
        went_on = true;
    };
    const auto promise = awaiting();

    notify(cell);
    const bool inside_notify = went_on;
    loop.run();

    EXPECT_FALSE(inside_notify);
    EXPECT_TRUE(went_on);
}

TEST(Coroutine, AwaitsAnAnswerThatIsThereAtOnce) {
    EventLoop loop;
    std::atomic<int> cell{0};
    const auto awaiting = [&]() -> Promise<WaitResult> { co_return co_await wait_async(cell, 1); };

    auto promise = awaiting();

    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(loop.run_until(promise), WaitResult::not_equal);
}

TEST(Coroutine, CatchesTheExceptionOfWhatItAwaits) {
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

TEST(Coroutine, MovesTheValueOutOfATemporaryPromise) {
    EventLoop loop;
    const auto boxed = []() -> Promise<std::unique_ptr<int>> { co_return std::make_unique<int>(7); };
    const auto awaiting = [&]() -> Promise<int> {
        const std::unique_ptr<int> box = co_await boxed();
        co_return *box;
    };

    EXPECT_EQ(loop.run_until(awaiting()), 7);
}

TEST(Coroutine, LeavesTheValueInAPromiseThatIsKept) {
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

TEST(Coroutine, RunsOnWhenItsPromiseIsDropped) {
    EventLoop loop;
    std::atomic<int> cell{0};
    bool went_on = false;
    const auto awaiting = [&]() -> Promise<void> {
        co_await wait_async(cell, 0);
        went_on = true;
    };

    static_cast<void>(awaiting());
    notify(cell);
    loop.run();

    EXPECT_TRUE(went_on);
}

TEST(Coroutine, LetsTheExceptionOfADroppedPromiseLeaveFromRun) {
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

TEST(Coroutine, AwaitsOtherCoroutinesInDepth) {
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

TEST(Coroutine, AwaitsOnePromiseTogetherWithOthersInOrder) {
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
