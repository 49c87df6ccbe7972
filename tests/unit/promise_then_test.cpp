// SPDX-License-Identifier: MIT
#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/promises.hpp"

namespace {

using futon::EventLoop;
using futon::notify;
using futon::Promise;
using futon::wait_async;
using futon::WaitResult;
using futon::test::rejected;
using futon::test::settled;

TEST(Promise, ThenOfASettledPromiseRunsOnTheLoop) {
    EventLoop loop;
    int seen = 0;

    const auto derived = settled(7).then([&](int value) { seen = value; });
    const int seen_at_once = seen;
    loop.run();

    EXPECT_EQ(seen_at_once, 0);
    EXPECT_EQ(seen, 7);
}

TEST(Promise, ThenRunsOnceTheWaitSettles) {
    EventLoop loop;
    std::atomic<int> cell{0};
    WaitResult seen = WaitResult::not_equal;
    const auto derived = wait_async(cell, 0).promise().then([&](WaitResult result) { seen = result; });

    notify(cell);
    loop.run();

    EXPECT_EQ(seen, WaitResult::ok);
}

TEST(Promise, ContinuationsRunInFifoOrder) {
    EventLoop loop;
    std::atomic<int> cell{0};
    std::vector<int> order;
    const auto promise = wait_async(cell, 0).promise();
    for (int i = 0; i < 5; ++i) static_cast<void>(promise.then([&, i](WaitResult) { order.push_back(i); }));

    notify(cell);
    loop.run();

    EXPECT_EQ(order, (std::vector{0, 1, 2, 3, 4}));
}

TEST(Promise, ThenYieldsTheResultOfItsFunction) {
    EventLoop loop;

    const std::string text = loop.run_until(settled(7).then([](int value) { return std::to_string(value); }));

    EXPECT_EQ(text, "7");
}

TEST(Promise, ThenMayBeChained) {
    EventLoop loop;

    const int value = loop.run_until(settled(1).then([](int x) { return x + 1; }).then([](int x) { return x * 10; }));

    EXPECT_EQ(value, 20);
}

TEST(Promise, ThenOfVoidCallsItsFunctionWithoutArguments) {
    EventLoop loop;

    const int value = loop.run_until(settled(1).then([](int) {}).then([] { return 7; }));

    EXPECT_EQ(value, 7);
}

TEST(Promise, ThenOfAnLvaluePassesAConstLvalue) {
    EventLoop loop;
    const auto promise = settled(7);

    const bool is_const =
        loop.run_until(promise.then([](auto&& value) { return std::is_same_v<decltype(value), const int&>; }));

    EXPECT_TRUE(is_const);
}

TEST(Promise, ThenOfATemporaryPassesAnRvalue) {
    EventLoop loop;

    const bool is_rvalue =
        loop.run_until(settled(7).then([](auto&& value) { return std::is_same_v<decltype(value), int&&>; }));

    EXPECT_TRUE(is_rvalue);
}

TEST(Promise, ThenForwardsAMoveOnlyValue) {
    EventLoop loop;
    const auto boxed = []() -> Promise<std::unique_ptr<int>> { co_return std::make_unique<int>(7); };

    const auto box = loop.run_until(boxed().then([](std::unique_ptr<int> held) {
        ++*held;
        return held;
    }));

    EXPECT_EQ(*box, 8);
}

TEST(Promise, SeveralContinuationsShareAMoveOnlyValue) {
    EventLoop loop;
    const auto boxed = []() -> Promise<std::unique_ptr<int>> { co_return std::make_unique<int>(7); };
    const auto promise = boxed();

    const auto peek = [](const std::unique_ptr<int>& held) { return *held; };
    const int sum = loop.run_until(promise.then(peek)) + loop.run_until(promise.then(peek));

    EXPECT_EQ(sum, 14);
}

TEST(Promise, ThenAcceptsAMoveOnlyFunction) {
    EventLoop loop;

    const int value =
        loop.run_until(settled(1).then([held = std::make_unique<int>(6)](int one) { return *held + one; }));

    EXPECT_EQ(value, 7);
}

TEST(Promise, ThenWaitsForAReturnedPromise) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto derived = settled(1).then([&](int) { return wait_async(cell, 0).promise(); });
    static_assert(std::is_same_v<decltype(derived), Promise<WaitResult>>);
    loop.poll();
    const bool settled_early = derived.is_settled();

    notify(cell);

    EXPECT_FALSE(settled_early);
    EXPECT_EQ(loop.run_until(derived), WaitResult::ok);
}

TEST(Promise, ThenForwardsAnExceptionWithoutCallingItsFunction) {
    EventLoop loop;
    bool has_run = false;
    auto derived = rejected().then([&](int) { has_run = true; });

    EXPECT_THROW(loop.run_until(derived), std::runtime_error);

    EXPECT_FALSE(has_run);
}

TEST(Promise, ThenRejectsWhenItsFunctionThrows) {
    EventLoop loop;
    auto derived = settled(1).then([](int) -> int { throw std::logic_error("broken"); });

    EXPECT_THROW(loop.run_until(derived), std::logic_error);
}

TEST(Promise, ThenRejectsWhenAReturnedPromiseIsRejected) {
    EventLoop loop;
    auto derived = settled(1).then([](int) { return rejected(); });

    EXPECT_THROW(loop.run_until(derived), std::runtime_error);
}

TEST(Promise, ThenRunsItsFunctionWhenItsPromiseIsDropped) {
    EventLoop loop;
    std::atomic<int> cell{0};
    bool has_run = false;
    static_cast<void>(wait_async(cell, 0).promise().then([&](WaitResult) { has_run = true; }));

    const std::size_t woken = notify(cell);
    loop.run();

    EXPECT_EQ(woken, 1u);
    EXPECT_TRUE(has_run);
}

TEST(Promise, MoveAssignmentTransfersTheState) {
    EventLoop loop;
    auto first = settled(1);
    auto second = settled(2);

    second = std::move(first);

    EXPECT_EQ(loop.run_until(second), 1);
}

}  // namespace
