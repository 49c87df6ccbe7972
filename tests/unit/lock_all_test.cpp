// SPDX-License-Identifier: MIT
#include <array>
#include <chrono>
#include <mutex>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::EventLoop;
using futon::lock_all;
using futon::lock_all_async;
using futon::Promise;
using futon::try_lock_all;
using futon::WaitResult;
using futon::test::until_waiting;
using futon::test::waiting_at;

/// Three locks, the first of which has the least address.
class LockAll : public testing::Test {
protected:
    bool are_free() {
        bool are_free = true;
        for (AsyncLock& lock : locks) {
            are_free = are_free && lock.try_lock();
            if (are_free) lock.unlock();
        }
        return are_free;
    }

    std::array<AsyncLock, 3> locks;
    AsyncLock& a = locks[0];
    AsyncLock& b = locks[1];
    AsyncLock& c = locks[2];
};

TEST_F(LockAll, OwnsAllUntilTheEndOfItsScope) {
    {
        const auto guard = lock_all(c, a, b);

        EXPECT_TRUE(guard);
        EXPECT_EQ(guard.result(), WaitResult::ok);
        for (AsyncLock& lock : locks) EXPECT_FALSE(lock.try_lock());
    }
    EXPECT_TRUE(are_free());
}

TEST_F(LockAll, UnlocksOnRequestOnce) {
    auto guard = lock_all(a, b);

    guard.unlock();

    EXPECT_FALSE(guard);
    EXPECT_TRUE(are_free());
    EXPECT_THROW(guard.unlock(), std::system_error);
}

TEST_F(LockAll, SplitsIntoGuardsInTheOrderOfTheArguments) {
    auto [of_c, of_a] = lock_all(c, a).split();

    of_c.unlock();

    EXPECT_TRUE(c.try_lock());
    EXPECT_FALSE(a.try_lock());
    EXPECT_TRUE(of_a.owns_lock());
}

TEST_F(LockAll, BlocksUntilTheLastIsFree) {
    b.lock();
    std::optional<WaitResult> result;
    std::thread thread([&] { result = lock_all(a, b, c).result(); });
    until_waiting(b, 1);
    EXPECT_FALSE(a.try_lock());
    EXPECT_TRUE(c.try_lock());
    c.unlock();

    b.unlock();
    thread.join();

    EXPECT_EQ(result, WaitResult::ok);
    EXPECT_TRUE(are_free());
}

TEST_F(LockAll, HoldsNoneWhereTheDeadlineComesFirst) {
    b.lock();

    const auto guard = lock_all(1ms, a, b, c);

    EXPECT_FALSE(guard);
    EXPECT_EQ(guard.result(), WaitResult::timed_out);
    b.unlock();
    EXPECT_TRUE(are_free());
}

TEST_F(LockAll, HoldsNoneWhereTheStopComesFirst) {
    b.lock();
    std::stop_source source;
    std::optional<WaitResult> result;
    std::thread thread([&] { result = lock_all(source.get_token(), a, b, c).result(); });
    until_waiting(b, 1);

    source.request_stop();
    thread.join();

    EXPECT_EQ(result, WaitResult::cancelled);
    b.unlock();
    EXPECT_TRUE(are_free());
}

TEST_F(LockAll, FreeLocksBeatADeadlineAndAStopThatHaveCome) {
    std::stop_source source;
    source.request_stop();

    EXPECT_TRUE(lock_all(0ms, a, b));
    EXPECT_TRUE(lock_all(source.get_token(), a, b));
    EXPECT_TRUE(lock_all({0ms, source.get_token()}, a, b));
}

TEST_F(LockAll, AStopBeatsADeadlineWhereBothHaveCome) {
    std::stop_source source;
    source.request_stop();
    b.lock();

    EXPECT_EQ(lock_all({0ms, source.get_token()}, a, b).result(), WaitResult::cancelled);
    EXPECT_TRUE(a.try_lock());
}

TEST_F(LockAll, RefusesOneLockTwice) {
    try {
        const auto guard = lock_all(a, b, a);
        ADD_FAILURE() << "lock_all() did not throw";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::resource_deadlock_would_occur);
    }
    EXPECT_THROW(static_cast<void>(try_lock_all(c, c)), std::system_error);
    EXPECT_THROW(static_cast<void>(lock_all_async(c, c)), std::system_error);
    EXPECT_TRUE(are_free());
}

TEST_F(LockAll, IsForbiddenOnAnAgentThatMayNotBlockThoughAllAreFree) {
    const EventLoop loop;

    EXPECT_THROW(static_cast<void>(lock_all(a, b)), futon::BlockingForbidden);
    EXPECT_TRUE(are_free());
}

TEST_F(LockAll, TriesWithoutBlocking) {
    const EventLoop loop;
    { EXPECT_TRUE(try_lock_all(a, b, c)); }
    c.try_lock();

    EXPECT_FALSE(try_lock_all(a, b, c));

    EXPECT_TRUE(a.try_lock());
    EXPECT_TRUE(b.try_lock());
}

TEST_F(LockAll, AwaitsAllAtOnceWhereTheyAreFree) {
    EventLoop loop;
    auto owns = [&]() -> Promise<bool> {
        const auto guard = co_await lock_all_async(c, b, a);
        co_return guard.owns_locks() && !a.try_lock() && !b.try_lock() && !c.try_lock();
    };

    auto promise = owns();

    EXPECT_TRUE(promise.is_settled());
    EXPECT_TRUE(loop.run_until(promise));
    EXPECT_TRUE(are_free());
}

Promise<WaitResult> attempt(AsyncLock& one, AsyncLock& other, futon::Limits limits = {}) {
    const auto guard = co_await lock_all_async(limits, one, other);
    EXPECT_EQ(guard.owns_locks(), guard.result() == WaitResult::ok);
    co_return guard.result();
}

TEST_F(LockAll, AwaitsOneAfterTheOther) {
    EventLoop loop;
    a.try_lock();
    b.try_lock();
    auto promise = attempt(b, a);
    EXPECT_EQ(waiting_at(a), 1u);

    a.unlock();
    while (waiting_at(b) == 0) loop.poll();
    EXPECT_FALSE(promise.is_settled());
    EXPECT_FALSE(a.try_lock());
    b.unlock();

    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
    EXPECT_TRUE(are_free());
}

TEST_F(LockAll, AnAwaitThatEndsByItsDeadlineHoldsNone) {
    EventLoop loop;
    b.try_lock();

    EXPECT_EQ(loop.run_until(attempt(a, b, 1ms)), WaitResult::timed_out);

    b.unlock();
    EXPECT_TRUE(are_free());
}

TEST_F(LockAll, AnAwaitThatEndsByAStopHoldsNone) {
    EventLoop loop;
    std::stop_source source;
    b.try_lock();
    auto promise = attempt(a, b, source.get_token());

    source.request_stop();

    EXPECT_EQ(loop.run_until(promise), WaitResult::cancelled);
    b.unlock();
    EXPECT_TRUE(are_free());
}

TEST_F(LockAll, ACoroutineThatEndsWithItsLoopReleasesWhatItHeld) {
    {
        EventLoop loop;
        b.try_lock();
        const auto promise = attempt(a, b);
        EXPECT_FALSE(a.try_lock());
    }

    EXPECT_TRUE(a.try_lock());
    EXPECT_EQ(waiting_at(b), 0u);
}

TEST_F(LockAll, ACoroutineThatEndsWhileAHandoffIsUnderWayReleasesAll) {
    {
        EventLoop loop;
        b.try_lock();
        const auto promise = attempt(a, b);
        b.unlock_fair();  // offered
    }

    EXPECT_TRUE(are_free());
}

TEST_F(LockAll, AnAwaitableIsUsedOnce) {
    EventLoop loop;
    auto twice = [&]() -> Promise<bool> {
        auto acquisition = lock_all_async(a, b);
        { const auto guard = co_await acquisition; }
        try {
            const auto guard = co_await acquisition;
        } catch (const std::logic_error&) {
            co_return true;
        }
        co_return false;
    };

    EXPECT_TRUE(loop.run_until(twice()));
    EXPECT_TRUE(are_free());
}

TEST_F(LockAll, ThreadsAndALoopThatNameThemInDifferentOrdersDoNotDeadlock) {
    constexpr int rounds = 300;
    int inside = 0;  // under all three
    int entered = 0;
    auto enter = [&] {
        EXPECT_EQ(inside++, 0);
        ++entered;
        --inside;
    };
    std::jthread one([&] {
        for (int i = 0; i < rounds; ++i) {
            const auto guard = lock_all(a, b, c);
            enter();
        }
    });
    std::jthread two([&] {
        for (int i = 0; i < rounds; ++i) {
            const std::scoped_lock guard(c, b, a);
            enter();
        }
    });
    EventLoop loop;
    auto third = [&]() -> Promise<void> {
        for (int i = 0; i < rounds; ++i) {
            const auto guard = co_await lock_all_async(b, c, a);
            enter();
        }
    };
    loop.run_until(third());
    one.join();
    two.join();

    EXPECT_EQ(entered, 3 * rounds);
    EXPECT_TRUE(are_free());
}

TEST_F(LockAll, StandardLocksAdoptAndDefer) {
    a.lock();
    { const std::unique_lock<AsyncLock> adopted(a, std::adopt_lock); }
    EXPECT_TRUE(are_free());

    std::unique_lock<AsyncLock> first(a, std::defer_lock);
    std::unique_lock<AsyncLock> second(b, std::defer_lock);
    EXPECT_FALSE(first.owns_lock());
    std::lock(second, first);
    EXPECT_TRUE(first.owns_lock() && second.owns_lock());
    first.unlock();
    EXPECT_TRUE(first.try_lock_for(1ms));
    second = {};
    first = {};
    EXPECT_TRUE(are_free());

    const std::unique_lock<AsyncLock> tried(c, std::try_to_lock);
    const std::unique_lock<AsyncLock> timed(c, 0ms);
    EXPECT_TRUE(tried.owns_lock());
    EXPECT_FALSE(timed.owns_lock());
}

}  // namespace
