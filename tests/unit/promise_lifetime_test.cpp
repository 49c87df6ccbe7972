// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <utility>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/promises.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::notify;
using futon::Promise;
using futon::wait_async;
using futon::WaitResult;
using futon::test::OwnedCoroutine;
using futon::test::rejected;
using futon::test::settled;
using futon::test::waiting_at;

TEST(Promise, DequeuesWhenDroppedWithoutContinuations) {
    EventLoop loop;
    std::atomic<int> cell{0};

    { const auto promise = wait_async(cell, 0).promise(); }

    EXPECT_EQ(waiting_at(cell), 0u);
}

TEST(Promise, WithADeadlineDequeuesWhenDropped) {
    EventLoop loop;
    std::atomic<int> cell{0};
    std::stop_source source;

    { const auto promise = wait_async(cell, 0, {1h, source.get_token()}).promise(); }

    EXPECT_EQ(waiting_at(cell), 0u);
    source.request_stop();
    loop.run();
}

TEST(Promise, DequeuesWhenTheWholeAnswerIsDropped) {
    EventLoop loop;
    std::atomic<int> cell{0};

    static_cast<void>(wait_async(cell, 0));

    EXPECT_EQ(waiting_at(cell), 0u);
}

TEST(Promise, KeepsTheOthersQueuedWhenDropped) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto first = wait_async(cell, 0).promise();
    std::optional<Promise<WaitResult>> dropped(wait_async(cell, 0).promise());
    auto last = wait_async(cell, 0).promise();

    dropped.reset();

    EXPECT_EQ(notify(cell), 2u);
    EXPECT_EQ(loop.run_until(first), WaitResult::ok);
    EXPECT_EQ(loop.run_until(last), WaitResult::ok);
}

TEST(Promise, DequeuesWhenAnotherIsAssignedToItsHandle) {
    EventLoop loop;
    std::atomic<int> cell{0};
    std::atomic<int> other{0};
    auto promise = wait_async(cell, 0).promise();

    promise = wait_async(other, 0).promise();

    EXPECT_EQ(waiting_at(cell), 0u);
    EXPECT_EQ(waiting_at(other), 1u);
}

TEST(Promise, StaysQueuedWhenDroppedWithAContinuation) {
    EventLoop loop;
    std::atomic<int> cell{0};

    {
        const auto promise = wait_async(cell, 0).promise();
        static_cast<void>(promise.then([](WaitResult) {}));
    }

    EXPECT_EQ(waiting_at(cell), 1u);
}

TEST(Promise, StaysQueuedWhenDroppedWhileACoroutineAwaitsIt) {
    EventLoop loop;
    std::atomic<int> cell{0};
    WaitResult seen = WaitResult::not_equal;
    const auto awaiting = [&]() -> Promise<void> { seen = co_await wait_async(cell, 0).promise(); };

    static_cast<void>(awaiting());
    notify(cell);
    loop.run();

    EXPECT_EQ(seen, WaitResult::ok);
}

TEST(Promise, DequeuesWhenItsLastAwaiterIsDestroyed) {
    EventLoop loop;
    std::atomic<int> cell{0};
    const auto awaiting = [](std::atomic<int>& word) -> OwnedCoroutine { co_await wait_async(word, 0).promise(); };
    OwnedCoroutine coroutine = awaiting(cell);
    EXPECT_EQ(waiting_at(cell), 1u);

    coroutine.destroy();

    EXPECT_EQ(waiting_at(cell), 0u);
    loop.run();
}

TEST(Promise, StaysQueuedWhenItsAwaiterIsDestroyedButItsHandleIsKept) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0).promise();
    const auto awaiting = [](Promise<WaitResult>& kept) -> OwnedCoroutine { co_await kept; };
    OwnedCoroutine coroutine = awaiting(promise);

    coroutine.destroy();

    EXPECT_EQ(notify(cell), 1u);
    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(Promise, ItsAwaiterMayBeDestroyedWithItsWakePosted) {
    EventLoop loop;
    std::atomic<int> cell{0};
    bool has_resumed = false;
    const auto awaiting = [](std::atomic<int>& word, bool& flag) -> OwnedCoroutine {
        co_await wait_async(word, 0).promise();
        flag = true;
    };
    OwnedCoroutine coroutine = awaiting(cell, has_resumed);
    notify(cell);

    coroutine.destroy();
    loop.run();

    EXPECT_FALSE(has_resumed);
}

TEST(Promise, ItsAwaiterMayBeDestroyedWithItsResumptionPosted) {
    EventLoop loop;
    std::atomic<int> cell{0};
    bool has_resumed = false;
    auto promise = wait_async(cell, 0).promise();
    const auto awaiting = [](Promise<WaitResult>& kept, bool& flag) -> OwnedCoroutine {
        co_await kept;
        flag = true;
    };
    OwnedCoroutine coroutine = awaiting(promise, has_resumed);
    notify(cell);
    loop.poll();
    EXPECT_TRUE(promise.is_settled());

    coroutine.destroy();
    loop.run();

    EXPECT_FALSE(has_resumed);
}

TEST(Promise, MayBeDroppedBetweenItsNotifyAndItsSettlement) {
    EventLoop loop;
    std::atomic<int> cell{0};
    std::optional<Promise<WaitResult>> promise(wait_async(cell, 0).promise());
    EXPECT_EQ(notify(cell), 1u);

    promise.reset();

    EXPECT_NO_THROW(loop.run());
}

TEST(Promise, RunRethrowsAnUnobservedException) {
    EventLoop loop;
    static_cast<void>(rejected());

    EXPECT_THROW(loop.run(), std::runtime_error);
}

TEST(Promise, RunRethrowsAnUnobservedExceptionOfThen) {
    EventLoop loop;
    std::atomic<int> cell{0};
    static_cast<void>(wait_async(cell, 0).promise().then([](WaitResult) { throw std::runtime_error("broken"); }));
    notify(cell);

    EXPECT_THROW(loop.run(), std::runtime_error);
    EXPECT_NO_THROW(loop.run());
}

TEST(Promise, RunRethrowsAnExceptionOnlyOnceItsHandleIsDropped) {
    EventLoop loop;
    std::optional<Promise<int>> promise(rejected());

    EXPECT_NO_THROW(loop.run());
    promise.reset();

    EXPECT_THROW(loop.run(), std::runtime_error);
}

TEST(Promise, RunDoesNotRethrowAnObservedException) {
    EventLoop loop;
    {
        auto promise = rejected();
        EXPECT_THROW(loop.run_until(promise), std::runtime_error);
    }

    EXPECT_NO_THROW(loop.run());
}

TEST(Promise, RunRethrowsAForwardedExceptionOnce) {
    EventLoop loop;
    static_cast<void>(rejected().then([](int) {}));

    EXPECT_THROW(loop.run(), std::runtime_error);
    EXPECT_NO_THROW(loop.run());
}

TEST(Promise, ThenThrowsOnceItsLoopHasEnded) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0).promise();
    loop.reset();
    EventLoop another;

    EXPECT_THROW(static_cast<void>(promise.then([](WaitResult) {})), std::logic_error);
}

TEST(Promise, AwaitThrowsOnceItsLoopHasEnded) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0).promise();
    loop.reset();
    EventLoop another;
    const auto awaiting = [&]() -> Promise<void> { co_await promise; };

    EXPECT_THROW(another.run_until(awaiting()), std::logic_error);
}

TEST(Promise, RunUntilThrowsOnceItsLoopHasEnded) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0).promise();
    loop.reset();
    EventLoop another;

    EXPECT_THROW(another.run_until(promise), std::logic_error);
}

TEST(Promise, ThenThrowsWithoutAnExecutor) {
    auto promise = settled(7);
    const futon::Agent agent(futon::CanBlock::no);

    // If then() did return a promise, the test observes it, so that its exception does not end the program.
    const auto call_then = [&] {
        auto derived = promise.then([](int) {});
        EventLoop loop;
        EXPECT_THROW(loop.run_until(derived), futon::NoExecutor);
    };

    EXPECT_THROW(call_then(), futon::NoExecutor);
}

}  // namespace
