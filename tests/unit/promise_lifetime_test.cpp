// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <utility>

#include <gtest/gtest.h>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::notify;
using futon::Promise;
using futon::wait_async;
using futon::WaitResult;
using futon::test::OwnedCoroutine;
using futon::test::waiting_at;

Promise<int> rejected() {
    throw std::runtime_error("broken");
    co_return 0;
}

TEST(Promise, LeavesTheLineWhenDroppedWithNobodyListening) {
    EventLoop loop;
    std::atomic<int> cell{0};

    { const auto promise = wait_async(cell, 0).promise(); }

    EXPECT_EQ(waiting_at(cell), 0u);
}

TEST(Promise, WithADeadlineLeavesTheLineWhenDropped) {
    EventLoop loop;
    std::atomic<int> cell{0};
    std::stop_source source;

    { const auto promise = wait_async(cell, 0, 1h, source.get_token()).promise(); }

    EXPECT_EQ(waiting_at(cell), 0u);
    source.request_stop();
    loop.run();
}

TEST(Promise, LeavesTheLineWhenTheWholeAnswerIsDropped) {
    EventLoop loop;
    std::atomic<int> cell{0};

    static_cast<void>(wait_async(cell, 0));

    EXPECT_EQ(waiting_at(cell), 0u);
}

TEST(Promise, LeavesNoGapInTheLineWhenDropped) {
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

TEST(Promise, LeavesTheLineWhenAnotherIsAssignedToItsHandle) {
    EventLoop loop;
    std::atomic<int> cell{0};
    std::atomic<int> other{0};
    auto promise = wait_async(cell, 0).promise();

    promise = wait_async(other, 0).promise();

    EXPECT_EQ(waiting_at(cell), 0u);
    EXPECT_EQ(waiting_at(other), 1u);
}

TEST(Promise, StaysInLineWhenDroppedWhileSomebodyListens) {
    EventLoop loop;
    std::atomic<int> cell{0};

    {
        const auto promise = wait_async(cell, 0).promise();
        static_cast<void>(promise.then([](WaitResult) {}));
    }

    EXPECT_EQ(waiting_at(cell), 1u);
}

TEST(Promise, StaysInLineWhenDroppedWhileACoroutineAwaitsIt) {
    EventLoop loop;
    std::atomic<int> cell{0};
    WaitResult seen = WaitResult::not_equal;
    const auto awaiting = [&]() -> Promise<void> { seen = co_await wait_async(cell, 0).promise(); };

    static_cast<void>(awaiting());
    notify(cell);
    loop.run();

    EXPECT_EQ(seen, WaitResult::ok);
}

TEST(Promise, LeavesTheLineWhenTheLastWhoAwaitedItIsDestroyed) {
    EventLoop loop;
    std::atomic<int> cell{0};
    const auto awaiting = [](std::atomic<int>& word) -> OwnedCoroutine { co_await wait_async(word, 0).promise(); };
    OwnedCoroutine coroutine = awaiting(cell);
    EXPECT_EQ(waiting_at(cell), 1u);

    coroutine.destroy();

    EXPECT_EQ(waiting_at(cell), 0u);
    loop.run();
}

TEST(Promise, StaysInLineWhenWhoAwaitedItIsDestroyedButItsHandleIsKept) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0).promise();
    const auto awaiting = [](Promise<WaitResult>& kept) -> OwnedCoroutine { co_await kept; };
    OwnedCoroutine coroutine = awaiting(promise);

    coroutine.destroy();

    EXPECT_EQ(notify(cell), 1u);
    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(Promise, LetsACoroutineBeDestroyedWhoseWakeIsOnItsWay) {
    EventLoop loop;
    std::atomic<int> cell{0};
    bool went_on = false;
    const auto awaiting = [](std::atomic<int>& word, bool& flag) -> OwnedCoroutine {
        co_await wait_async(word, 0).promise();
        flag = true;
    };
    OwnedCoroutine coroutine = awaiting(cell, went_on);
    notify(cell);

    coroutine.destroy();
    loop.run();

    EXPECT_FALSE(went_on);
}

TEST(Promise, LetsACoroutineBeDestroyedWhoseTurnIsPosted) {
    EventLoop loop;
    std::atomic<int> cell{0};
    bool went_on = false;
    auto promise = wait_async(cell, 0).promise();
    const auto awaiting = [](Promise<WaitResult>& kept, bool& flag) -> OwnedCoroutine {
        co_await kept;
        flag = true;
    };
    OwnedCoroutine coroutine = awaiting(promise, went_on);
    notify(cell);
    loop.poll();
    EXPECT_TRUE(promise.is_settled());

    coroutine.destroy();
    loop.run();

    EXPECT_FALSE(went_on);
}

TEST(Promise, ThatWasNotifiedMayBeDroppedBeforeItSettles) {
    EventLoop loop;
    std::atomic<int> cell{0};
    std::optional<Promise<WaitResult>> promise(wait_async(cell, 0).promise());
    EXPECT_EQ(notify(cell), 1u);

    promise.reset();

    EXPECT_NO_THROW(loop.run());
}

TEST(Promise, LetsAnUnobservedExceptionLeaveFromRun) {
    EventLoop loop;
    static_cast<void>(rejected());

    EXPECT_THROW(loop.run(), std::runtime_error);
}

TEST(Promise, LetsAnUnobservedExceptionOfThenLeaveFromRun) {
    EventLoop loop;
    std::atomic<int> cell{0};
    static_cast<void>(wait_async(cell, 0).promise().then([](WaitResult) { throw std::runtime_error("broken"); }));
    notify(cell);

    EXPECT_THROW(loop.run(), std::runtime_error);
    EXPECT_NO_THROW(loop.run());
}

TEST(Promise, KeepsAnExceptionWhileItsHandleIsKept) {
    EventLoop loop;
    std::optional<Promise<int>> promise(rejected());

    EXPECT_NO_THROW(loop.run());
    promise.reset();

    EXPECT_THROW(loop.run(), std::runtime_error);
}

TEST(Promise, KeepsAnExceptionThatSomebodyObserved) {
    EventLoop loop;
    {
        auto promise = rejected();
        EXPECT_THROW(loop.run_until(promise), std::runtime_error);
    }

    EXPECT_NO_THROW(loop.run());
}

TEST(Promise, HandsAnExceptionToWhoListensAndLetsItLeaveOnce) {
    EventLoop loop;
    static_cast<void>(rejected().then([](int) {}));

    EXPECT_THROW(loop.run(), std::runtime_error);
    EXPECT_NO_THROW(loop.run());
}

TEST(Promise, CannotBeListenedToOnceItsLoopHasEnded) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0).promise();
    loop.reset();
    EventLoop another;

    EXPECT_THROW(static_cast<void>(promise.then([](WaitResult) {})), std::logic_error);
}

TEST(Promise, CannotBeAwaitedOnceItsLoopHasEnded) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0).promise();
    loop.reset();
    EventLoop another;
    const auto awaiting = [&]() -> Promise<void> { co_await promise; };

    EXPECT_THROW(another.run_until(awaiting()), std::logic_error);
}

TEST(Promise, CannotBeRunUntilOnceItsLoopHasEnded) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0).promise();
    loop.reset();
    EventLoop another;

    EXPECT_THROW(another.run_until(promise), std::logic_error);
}

TEST(Promise, CannotBeListenedToOnAThreadWithoutAnExecutor) {
    const auto seven = []() -> Promise<int> { co_return 7; };
    auto promise = seven();
    const futon::Agent agent(futon::CanBlock::no);

    // What then returned, if it did, is observed, so that it is not the end of the program.
    const auto listening = [&] {
        auto derived = promise.then([](int) {});
        EventLoop loop;
        EXPECT_THROW(loop.run_until(derived), futon::NoExecutor);
    };

    EXPECT_THROW(listening(), futon::NoExecutor);
}

}  // namespace
