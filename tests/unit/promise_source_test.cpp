// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <futon/futon.hpp>
#include <futon/promise_source.hpp>

#include "support/errors.hpp"
#include "support/gtest.hpp"
#include "support/settling.hpp"

namespace {

using futon::BrokenPromise;
using futon::EventLoop;
using futon::make_promise;
using futon::Promise;
using futon::PromiseSource;
using futon::test::broken;
using futon::test::on_another_thread;

TEST(PromiseSource, FulfilSettlesWithinTheCallOnItsOwnThread) {
    EventLoop loop;
    auto [promise, source] = make_promise<int>();

    source.fulfil(7);

    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(loop.run_until(promise), 7);
}

TEST(PromiseSource, RejectSettlesWithinTheCallOnItsOwnThread) {
    EventLoop loop;
    auto [promise, source] = make_promise<int>();

    source.reject(broken());

    EXPECT_TRUE(promise.is_settled());
    EXPECT_THROW(loop.run_until(promise), std::runtime_error);
}

TEST(PromiseSource, WhatListensRunsLater) {
    EventLoop loop;
    auto [promise, source] = make_promise<int>();
    int value = 0;
    const auto listening = promise.then([&](int settled) { value = settled; });

    source.fulfil(7);
    EXPECT_EQ(value, 0);
    loop.run();

    EXPECT_EQ(value, 7);
}

TEST(PromiseSource, WhatListensRunsInTheOrderOfSettlingAlsoBesideANotify) {
    EventLoop loop;
    std::uint32_t cell = 0;
    std::vector<std::string> order;
    auto [promise, source] = make_promise<void>();
    const auto first = promise.then([&] { order.emplace_back("settled by its source"); });
    const auto second = futon::wait_async(futon::Word(cell), 0u).promise().then([&](futon::WaitResult) {
        order.emplace_back("settled by the job of a notify");
    });

    futon::notify(futon::Word(cell));  // posts the waiter, which settles its promise when it runs
    source.fulfil();                   // settles at once
    loop.run();

    EXPECT_EQ(order, (std::vector<std::string>{"settled by its source", "settled by the job of a notify"}));
}

TEST(PromiseSource, FulfilSettlesLaterFromAnotherThread) {
    EventLoop loop;
    auto [promise, source] = make_promise<int>();

    on_another_thread([&, &other = source] { other.fulfil(7); });

    EXPECT_FALSE(promise.is_settled());
    EXPECT_EQ(loop.run_until(promise), 7);
}

TEST(PromiseSource, RejectSettlesLaterFromAnotherThread) {
    EventLoop loop;
    auto [promise, source] = make_promise<int>();

    on_another_thread([&, &other = source] { other.reject(broken()); });

    EXPECT_FALSE(promise.is_settled());
    EXPECT_THROW(loop.run_until(promise), std::runtime_error);
}

TEST(PromiseSource, SaysWhetherItHasSettled) {
    const EventLoop loop;
    auto [promise, source] = make_promise<void>();
    EXPECT_FALSE(source.is_settled());

    source.fulfil();

    EXPECT_TRUE(source.is_settled());
}

TEST(PromiseSource, CountsAsSettledOnceItWasMovedFrom) {
    const EventLoop loop;
    auto [promise, source] = make_promise<void>();

    const PromiseSource<void> moved(std::move(source));

    EXPECT_TRUE(source.is_settled());  // NOLINT(bugprone-use-after-move)
    EXPECT_FALSE(moved.is_settled());
}

TEST(PromiseSource, SettlesOnlyOnce) {
    EventLoop loop;
    auto [promise, source] = make_promise<int>();
    source.fulfil(7);

    EXPECT_THROW(source.fulfil(8), std::logic_error);
    EXPECT_THROW(source.reject(broken()), std::logic_error);

    EXPECT_EQ(loop.run_until(promise), 7);
}

TEST(PromiseSource, SettlesOnlyOnceWhileItsSettlingIsUnderWay) {
    EventLoop loop;
    auto [promise, source] = make_promise<int>();
    on_another_thread([&other = source] { other.fulfil(7); });

    EXPECT_THROW(source.fulfil(8), std::logic_error);

    EXPECT_EQ(loop.run_until(promise), 7);
}

TEST(PromiseSource, ThatWasMovedFromCannotSettle) {
    const EventLoop loop;
    auto [promise, source] = make_promise<int>();
    auto moved = std::move(source);

    EXPECT_THROW(source.fulfil(7), std::logic_error);  // NOLINT(bugprone-use-after-move)

    EXPECT_FALSE(promise.is_settled());
    moved.fulfil(7);
}

TEST(PromiseSource, ARejectionByAnotherThreadIsNotReportedIfThePromiseIsDroppedWhileItIsPending) {
    EventLoop loop;
    auto [promise, source] = make_promise<int>();
    on_another_thread([&other = source] { other.reject(broken()); });
    EXPECT_FALSE(promise.is_settled());

    { const auto dropped = std::move(promise); }

    EXPECT_NO_THROW(loop.run());
}

TEST(PromiseSource, ARejectionOfAPromiseThatIsDroppedOnceItHasSettledIsReported) {
    EventLoop loop;
    auto [promise, source] = make_promise<int>();
    source.reject(broken());

    { const auto dropped = std::move(promise); }

    EXPECT_THROW(loop.run(), std::runtime_error);
}

TEST(PromiseSource, ThatIsDroppedOnItsOwnThreadBreaksThePromise) {
    EventLoop loop;
    auto [promise, source] = make_promise<int>();

    { const auto dropped = std::move(source); }

    EXPECT_TRUE(promise.is_settled());
    EXPECT_THROW(loop.run_until(promise), BrokenPromise);
}

TEST(PromiseSource, ThatIsDroppedOnAnotherThreadBreaksThePromise) {
    EventLoop loop;
    auto [promise, source] = make_promise<int>();

    on_another_thread([dropped = std::move(source)] {});

    EXPECT_THROW(loop.run_until(promise), BrokenPromise);
}

TEST(PromiseSource, ThatIsAssignedBreaksThePromiseThatItHad) {
    EventLoop loop;
    auto [first, source] = make_promise<int>();
    auto [second, other] = make_promise<int>();

    source = std::move(other);
    source.fulfil(7);

    EXPECT_THROW(loop.run_until(first), BrokenPromise);
    EXPECT_EQ(loop.run_until(second), 7);
}

TEST(PromiseSource, ThatIsDroppedOnceItHasSettledBreaksNothing) {
    EventLoop loop;
    auto [promise, source] = make_promise<int>();
    source.fulfil(7);

    { const auto dropped = std::move(source); }

    EXPECT_EQ(loop.run_until(promise), 7);
}

TEST(PromiseSource, HandsOverAMoveOnlyValue) {
    EventLoop loop;
    auto [promise, source] = make_promise<std::unique_ptr<int>>();

    on_another_thread([&other = source] { other.fulfil(std::make_unique<int>(7)); });

    EXPECT_EQ(*loop.run_until(promise), 7);
}

TEST(PromiseSource, MakesTheValueOfItsArguments) {
    EventLoop loop;
    auto [promise, source] = make_promise<std::string>();

    source.fulfil(std::size_t{3}, 'x');

    EXPECT_EQ(loop.run_until(promise), "xxx");
}

TEST(PromiseSource, FulfilsAPromiseOfNothing) {
    EventLoop loop;
    auto [promise, source] = make_promise<void>();

    on_another_thread([&other = source] { other.fulfil(); });
    loop.run_until(promise);

    EXPECT_TRUE(promise.is_settled());
}

TEST(PromiseSource, KeepsTheLoopRunningWhileItsPromiseIsPending) {
    EventLoop loop;
    auto [promise, source] = make_promise<int>();
    std::jthread worker([own = std::move(source)]() mutable { own.fulfil(7); });

    loop.run();

    EXPECT_TRUE(promise.is_settled());
}

TEST(PromiseSource, LetsTheLoopEndWhenItsPromiseIsUnrefd) {
    EventLoop loop;
    auto [promise, source] = make_promise<int>();
    promise.unref();

    loop.run();

    EXPECT_FALSE(promise.is_settled());
    source.fulfil(7);
}

TEST(PromiseSource, LetsTheLoopEndOnceItHasSettled) {
    EventLoop loop;
    auto [promise, source] = make_promise<int>();
    source.fulfil(7);

    loop.run();

    EXPECT_TRUE(promise.is_settled());
}

TEST(PromiseSource, MakePromiseThrowsWithoutAnExecutor) {
    EXPECT_THROW(static_cast<void>(make_promise<int>()), futon::NoExecutor);

    const std::string text = futon::test::error_on_another_thread([] { static_cast<void>(make_promise<int>()); });
    EXPECT_TRUE(text.starts_with("futon::make_promise: this thread has no executor")) << text;
}

TEST(PromiseSource, RefusesToRejectWithNoException) {
    futon::EventLoop own_loop;
    auto [promise, source] = futon::make_promise<int>();

    EXPECT_THROW(source.reject(nullptr), std::invalid_argument);

    EXPECT_FALSE(promise.is_settled());
    source.fulfil(1);
}

}  // namespace
