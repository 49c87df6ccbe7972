// SPDX-License-Identifier: MIT
#include <chrono>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::Fairness;
using futon::Guarded;
using futon::Promise;
using futon::WaitResult;

TEST(Guarded, RunsAFunctionUnderItsLock) {
    Guarded<std::vector<int>> list;

    const std::size_t size = list.with_lock([&](std::vector<int>& value) {
        EXPECT_FALSE(list.try_lock());
        value.push_back(7);
        return value.size();
    });

    EXPECT_EQ(size, 1u);
    EXPECT_TRUE(list.try_lock());
}

TEST(Guarded, ConstructsItsValueInPlace) {
    struct Pinned {
        Pinned(int first, int second) : sum(first + second) {}
        Pinned(const Pinned&) = delete;
        int sum;
    };
    Guarded<Pinned> pinned(std::in_place, 3, 4);
    Guarded<Pinned> strict(Fairness::strict, std::in_place, 1, 2);
    Guarded<std::unique_ptr<int>> taken_over(std::make_unique<int>(5));
    const Guarded<int> zero;

    EXPECT_EQ(pinned.lock()->sum, 7);
    EXPECT_EQ(strict.lock()->sum, 3);
    EXPECT_EQ(taken_over.with_lock([](auto& pointer) { return *pointer; }), 5);
    EXPECT_EQ(zero.with_lock([](int value) { return value; }), 0);
}

TEST(Guarded, GivesAConstValueWhereItIsConst) {
    const Guarded<std::string> text(std::in_place, "text");

    const auto access = text.lock();

    static_assert(std::is_same_v<decltype(*access), const std::string&>);
    static_assert(std::is_same_v<decltype(access.operator->()), const std::string*>);
    EXPECT_EQ(*access, "text");
    EXPECT_FALSE(text.try_lock());
}

TEST(Guarded, ReleasesItsLockWhenTheFunctionThrows) {
    Guarded<int> number;

    EXPECT_THROW(number.with_lock([](int&) { throw std::runtime_error("no"); }), std::runtime_error);

    EXPECT_TRUE(number.try_lock());
}

TEST(Guarded, GivesAccessUntilTheEndOfItsScope) {
    Guarded<int> number(1);
    {
        auto access = number.lock();
        *access = 2;
        EXPECT_TRUE(access.has_access());
        EXPECT_FALSE(number.try_lock());
    }
    auto access = number.try_lock();
    ASSERT_TRUE(access);
    EXPECT_EQ(*access, 2);
    access.unlock();
    EXPECT_TRUE(number.try_lock());
    auto again = number.lock();
    again.unlock_fair();
    EXPECT_TRUE(number.try_lock());
}

TEST(Guarded, GivesNoAccessWhereTheDeadlineOrTheStopComesFirst) {
    Guarded<int> number;
    const auto owner = number.lock();
    std::stop_source source;
    source.request_stop();

    EXPECT_EQ(number.lock(1ms).result(), WaitResult::timed_out);
    EXPECT_EQ(number.lock(source.get_token()).result(), WaitResult::cancelled);
    EXPECT_EQ(number.lock({0ms, source.get_token()}).result(), WaitResult::cancelled);
    EXPECT_EQ(std::as_const(number).lock(1ms).result(), WaitResult::timed_out);
    EXPECT_EQ(std::as_const(number).lock(source.get_token()).result(), WaitResult::cancelled);
}

TEST(Guarded, AFreeLockBeatsADeadlineAndAStopThatHaveCome) {
    Guarded<int> number;
    std::stop_source source;
    source.request_stop();

    EXPECT_TRUE(number.lock({0ms, source.get_token()}));
}

TEST(Guarded, AccessThatWasNotGivenThrows) {
    Guarded<int> number;
    const auto owner = number.lock();
    auto none = number.try_lock();

    EXPECT_FALSE(none);
    EXPECT_THROW(static_cast<void>(*none), std::system_error);
    EXPECT_THROW(none.operator->(), std::system_error);
    EXPECT_THROW(none.unlock(), std::system_error);
}

TEST(Guarded, AccessThatWasMovedFromThrows) {
    Guarded<int> number;
    auto first = number.lock();

    const auto second = std::move(first);

    EXPECT_TRUE(second);
    EXPECT_THROW(static_cast<void>(*first), std::system_error);  // NOLINT(bugprone-use-after-move)
}

TEST(Guarded, BlockingIsForbiddenOnAnAgentThatMayNotBlockThoughTheLockIsFree) {
    const EventLoop loop;
    Guarded<int> number;

    EXPECT_THROW(static_cast<void>(number.lock()), futon::BlockingForbidden);
    EXPECT_THROW(number.with_lock([](int&) {}), futon::BlockingForbidden);
    EXPECT_TRUE(number.try_lock());
}

TEST(Guarded, RunsAFunctionOnALoopNowOrLater) {
    EventLoop loop;
    Guarded<int> number;
    EXPECT_EQ(loop.run_until(number.with_lock_async([](int& value) { return ++value; })), 1);
    auto owner = number.try_lock();

    auto promise = number.with_lock_async([](int& value) { return ++value; });
    auto of_const = std::as_const(number).with_lock_async([](const int& value) { return value; });
    EXPECT_FALSE(promise.is_settled());
    owner.unlock();

    EXPECT_EQ(loop.run_until(promise), 2);
    EXPECT_EQ(loop.run_until(of_const), 2);
}

TEST(Guarded, IsHeldUntilThePromiseOfItsFunctionHasSettled) {
    EventLoop loop;
    Guarded<int> number;
    futon::AsyncLock gate;
    gate.try_lock();
    auto promise = number.with_lock_async([&gate](int& value) -> Promise<int> {
        co_await gate.lock_async();
        co_return ++value;
    });

    EXPECT_FALSE(number.try_lock());
    gate.unlock();
    EXPECT_EQ(loop.run_until(promise), 1);
    EXPECT_TRUE(number.try_lock());
}

Promise<WaitResult> add(Guarded<int>& number, futon::Limits limits = {}) {
    auto access = co_await number.lock_async(limits);
    if (access) ++*access;
    co_return access.result();
}

TEST(Guarded, GivesACoroutineAccess) {
    EventLoop loop;
    Guarded<int> number;
    auto owner = number.try_lock();
    auto promise = add(number, futon::Deadline::never());
    EXPECT_EQ(loop.run_until(add(number, 1ms)), WaitResult::timed_out);
    std::stop_source source;
    source.request_stop();
    EXPECT_EQ(loop.run_until(add(number, source.get_token())), WaitResult::cancelled);

    owner.unlock();

    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
    EXPECT_EQ(*static_cast<const Guarded<int>::Access<int>&>(number.try_lock()), 1);
}

TEST(Guarded, ACoroutineThatEndsWithItsLoopLeavesItsQueue) {
    Guarded<int> number;
    auto owner = number.try_lock();
    {
        EventLoop loop;
        const auto promise = add(number, futon::Deadline::never());
    }

    owner.unlock();

    EXPECT_EQ(number.lock().result(), WaitResult::ok);
}

TEST(Guarded, IsChosenByASelect) {
    Guarded<int> first(1);
    Guarded<int> second(2);
    const auto owner = first.lock();

    auto chosen = futon::select(first.locking(), std::as_const(second).locking());

    ASSERT_EQ(chosen.index(), 1u);
    const auto& access = std::get<1>(chosen);
    EXPECT_EQ(*access, 2);
    EXPECT_FALSE(second.try_lock());
}

TEST(Guarded, GivesAPromiseOfAccess) {
    EventLoop loop;
    Guarded<int> number(7);

    auto access = loop.run_until(futon::promise_of(number.locking()));

    EXPECT_TRUE(access);
    EXPECT_FALSE(number.try_lock());
}

TEST(Guarded, ThreadsAndALoopExcludeEachOther) {
    constexpr int rounds = 500;
    Guarded<int> number;
    std::jthread thread([&] {
        for (int i = 0; i < rounds; ++i) number.with_lock([](int& value) { ++value; });
    });
    EventLoop loop;
    auto count = [&]() -> Promise<void> {
        for (int i = 0; i < rounds; ++i) co_await number.with_lock_async([](int& value) { ++value; });
    };
    loop.run_until(count());
    thread.join();

    const auto access = number.try_lock();
    EXPECT_EQ(*access, 2 * rounds);
}

TEST(Guarded, AConditionWaitsWithItsGuard) {
    futon::Guarded<int> count(futon::Fairness::strict, std::in_place, 0);
    futon::Condition changed;
    std::jthread other([&] {
        count.with_lock([](int& value) { value = 7; });
        changed.notify_one();
    });
    auto access = count.lock();
    EXPECT_TRUE(changed.wait(access.guard(), [&] { return *access == 7; }));
    EXPECT_TRUE(access.has_access());
}

}  // namespace
