// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::Lazy;
using futon::Promise;
using futon::WaitResult;

static_assert(sizeof(Lazy<int>) == 8);

struct Immovable {
    explicit Immovable(int n) noexcept : number(n) {}
    Immovable(const Immovable&) = delete;
    Immovable& operator=(const Immovable&) = delete;
    int number;
};

TEST(Lazy, MakesItsValueOnFirstUse) {
    Lazy<std::string> lazy;
    int calls = 0;
    const auto make = [&] {
        ++calls;
        return std::string("made");
    };

    EXPECT_EQ(lazy.try_get(), nullptr);
    std::string& value = lazy.get(make);
    EXPECT_EQ(value, "made");
    EXPECT_EQ(&lazy.get(make), &value);
    EXPECT_EQ(lazy.try_get(), &value);
    EXPECT_EQ(std::as_const(lazy).try_get(), &value);
    EXPECT_EQ(calls, 1);
}

TEST(Lazy, DestroysItsValueOnce) {
    int destroyed = 0;
    {
        Lazy<futon::test::DestructionCounter> lazy;
        static_cast<void>(lazy.get([&] { return futon::test::DestructionCounter(destroyed); }));
        EXPECT_EQ(destroyed, 0);
    }
    EXPECT_EQ(destroyed, 1);
    { const Lazy<futon::test::DestructionCounter> never; }
    EXPECT_EQ(destroyed, 1);
}

TEST(Lazy, MakesAValueThatCannotBeMoved) {
    Lazy<Immovable> lazy;
    EXPECT_EQ(lazy.get([] { return Immovable(7); }).number, 7);
}

TEST(Lazy, LetsTheNextTryWhereAnInitialiserThrows) {
    Lazy<int> lazy;
    EXPECT_THROW(static_cast<void>(lazy.get([]() -> int { throw std::runtime_error("broken"); })), std::runtime_error);
    EXPECT_EQ(lazy.try_get(), nullptr);
    EXPECT_EQ(lazy.get([] { return 3; }), 3);
}

TEST(Lazy, RefusesAnInitialiserThatBlocksForItself) {
    Lazy<int> lazy;
    EXPECT_THROW(static_cast<void>(lazy.get([&]() -> int { return lazy.get([] { return 1; }); })), std::system_error);
    EXPECT_EQ(lazy.get([] { return 3; }), 3);
}

TEST(Lazy, IsMadeByAPromiseOnALoop) {
    EventLoop loop;
    Lazy<std::unique_ptr<int>> lazy;
    futon::Event go_on;
    int calls = 0;
    auto fetch = [&]() -> Promise<std::unique_ptr<int>> {
        static_cast<void>(co_await go_on.wait_async());
        ++calls;
        co_return std::make_unique<int>(5);
    };
    auto first = lazy.get_async(fetch);
    auto second = lazy.get_async(fetch);
    loop.poll();
    EXPECT_FALSE(first.is_settled());

    go_on.set();

    EXPECT_EQ(**loop.run_until(first), 5);
    EXPECT_EQ(loop.run_until(second), lazy.try_get());
    EXPECT_EQ(calls, 1);
}

TEST(Lazy, IsMadeByAFunctionOnALoop) {
    EventLoop loop;
    Lazy<Immovable> lazy;
    const auto* value = loop.run_until(lazy.get_async([] { return Immovable(2); }));
    EXPECT_EQ(value->number, 2);
}

TEST(Lazy, LetsTheNextTryWhereAPromiseRejects) {
    EventLoop loop;
    Lazy<int> lazy;
    auto broken = []() -> Promise<int> {
        throw std::runtime_error("broken");
        co_return 0;
    };
    EXPECT_THROW(loop.run_until(lazy.get_async(broken)), std::runtime_error);
    EXPECT_EQ(*loop.run_until(lazy.get_async([] { return 4; })), 4);
}

TEST(Lazy, IsMadeOnceByThreadsAndALoopTogether) {
    Lazy<int> lazy;
    std::atomic<int> calls{0};
    auto make = [&] { return ++calls; };
    EventLoop loop;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 3; ++i) threads.emplace_back([&] { EXPECT_EQ(lazy.get(make), 1); });
        EXPECT_EQ(*loop.run_until(lazy.get_async(make)), 1);
    }
    EXPECT_EQ(calls, 1);
}

TEST(Lazy, LimitsTheWaitForAnother) {
    EventLoop loop(futon::CanBlock::yes);
    Lazy<int> lazy;
    futon::Event never;
    std::stop_source stop;
    stop.request_stop();
    const auto pending = lazy.get_async([&]() -> Promise<int> {
        static_cast<void>(co_await never.wait_async());
        co_return 1;
    });
    const auto make = [] { return 2; };

    EXPECT_EQ(lazy.get(make, 1ms), nullptr);
    EXPECT_EQ(lazy.get(make, stop.get_token()), nullptr);
    EXPECT_EQ(loop.run_until(lazy.get_async(make, 1ms)), nullptr);
    EXPECT_EQ(loop.run_until(lazy.get_async(make, stop.get_token())), nullptr);
    never.set();
    EXPECT_EQ(*loop.run_until(pending), 1);
}

TEST(Lazy, RefusesAnAgentThatMayNotBlock) {
    const EventLoop loop;
    Lazy<int> lazy;
    EXPECT_THROW(static_cast<void>(lazy.get([] { return 1; })), futon::BlockingForbidden);
    EXPECT_EQ(lazy.try_get(), nullptr);
}

}  // namespace
