// SPDX-License-Identifier: MIT
// The names, the order of arguments and the answers of std::condition_variable_any, and what a wait with a predicate answers.
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::Condition;
using futon::EventLoop;
using futon::PredicateResult;
using futon::Promise;
using futon::WaitResult;
using futon::test::until_waiting;
using std::chrono::steady_clock;
using std::chrono::system_clock;

constexpr auto never = [] { return false; };
constexpr auto always = [] { return true; };

/// What a program of the standard library does with a condition variable, by the types that it is made of.
template <class Mutex, class Variable>
struct Ported {
    Mutex mutex;
    Variable ready;
    int items = 0;

    bool take(std::chrono::milliseconds time) {
        std::unique_lock hold(mutex);
        if (!ready.wait_for(hold, time, [&] { return items > 0; })) return false;
        --items;
        return true;
    }
    bool take_until(system_clock::time_point time) {
        std::unique_lock hold(mutex);
        while (items == 0)
            if (ready.wait_until(hold, time) == std::cv_status::timeout) return false;
        --items;
        return true;
    }
    bool take(const std::stop_token& stop) {
        std::unique_lock hold(mutex);
        if (!ready.wait(hold, stop, [&] { return items > 0; })) return false;
        --items;
        return true;
    }
    void put() {
        {
            std::scoped_lock hold(mutex);
            ++items;
        }
        ready.notify_one();
    }
};

template <class T>
class ConditionPort : public testing::Test {};
#ifndef _LIBCPP_VERSION  // that of libc++ takes no stop token
using Ports = testing::Types<Ported<std::mutex, std::condition_variable_any>, Ported<AsyncLock, Condition>>;
#else
using Ports = testing::Types<Ported<AsyncLock, Condition>>;
#endif
TYPED_TEST_SUITE(ConditionPort, Ports);

TYPED_TEST(ConditionPort, ChangesItsTypesAlone) {
    TypeParam queue;
    EXPECT_FALSE(queue.take(1ms));
    EXPECT_FALSE(queue.take_until(system_clock::now() + 1ms));
    EXPECT_FALSE(queue.take_until(system_clock::now() - 1h));
    std::stop_source stopped;
    stopped.request_stop();
    EXPECT_FALSE(queue.take(stopped.get_token()));
    queue.put();
    EXPECT_TRUE(queue.take(0ms));
    std::jthread putter([&] {
        for (int i = 0; i < 3; ++i) queue.put();
    });
    EXPECT_TRUE(queue.take(1h));
    EXPECT_TRUE(queue.take_until(system_clock::now() + 1h));
    EXPECT_TRUE(queue.take(std::stop_source().get_token()));
}

TEST(ConditionStdNames, AWaitWithoutAPredicateSaysWhetherTheTimeWasOver) {
    AsyncLock lock;
    Condition ready;
    std::unique_lock hold(lock);
    EXPECT_TRUE(ready.wait_for(hold, 1ms) == std::cv_status::timeout);
    const std::cv_status late = ready.wait_until(hold, steady_clock::now() - 1s);
    EXPECT_EQ(late, std::cv_status::timeout);

    std::jthread notifier([&] {
        std::scoped_lock also(lock);
        ready.notify_all();
    });
    EXPECT_TRUE(ready.wait_for(hold, 1h) == std::cv_status::no_timeout);
    EXPECT_TRUE(hold.owns_lock());
}

TEST(ConditionStdNames, ANotificationEndsAWaitForAClockThatMayBeSet) {
    AsyncLock lock;
    Condition ready;
    std::unique_lock hold(lock);
    std::jthread notifier([&] {
        std::scoped_lock also(lock);
        ready.notify_one();
    });
    EXPECT_TRUE(ready.wait_until(hold, system_clock::now() + 1h) == std::cv_status::no_timeout);
}

/// A clock of a program's own, which stands still.
struct StillClock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<StillClock>;
    static time_point now() { return time_point(1s); }
};

TEST(ConditionStdNames, AClockThatIsBehindEndsAWaitWithoutATimeout) {
    AsyncLock lock;
    Condition ready;
    std::unique_lock hold(lock);
    EXPECT_TRUE(ready.wait_until(hold, StillClock::now() + 1ms) == std::cv_status::no_timeout);
    int asked = 0;
    EXPECT_TRUE(ready.wait_until(hold, StillClock::now() + 1ms, [&] { return ++asked == 5; }))
        << "it is waited for until the clock says so";
    EXPECT_FALSE(ready.wait_until(hold, StillClock::now() - 1ms, never));
}

TEST(ConditionStdNames, APredicateHoldsOrItIsSaidWhatEndedTheWait) {
    AsyncLock lock;
    Condition ready;
    std::unique_lock hold(lock);
    std::stop_source stopped;
    stopped.request_stop();
    EXPECT_EQ(ready.wait(hold, never, 1ms).result(), WaitResult::timed_out);
    EXPECT_EQ(ready.wait(hold, never, stopped.get_token()).result(), WaitResult::cancelled);
    EXPECT_EQ(ready.wait(hold, stopped.get_token(), never).result(), WaitResult::cancelled);
    EXPECT_EQ(ready.wait_for(hold, stopped.get_token(), 1h, never).result(), WaitResult::cancelled);
    EXPECT_EQ(ready.wait_until(hold, stopped.get_token(), steady_clock::now() + 1h, never).result(),
              WaitResult::cancelled);
    EXPECT_EQ(ready.wait_for(hold, 1ms, never).result(), WaitResult::timed_out);
    EXPECT_EQ(ready.wait(hold, always, 0ms).result(), WaitResult::ok);
    EXPECT_EQ(ready.wait_for(hold, stopped.get_token(), 0ms, always).result(), WaitResult::ok);
}

TEST(ConditionStdNames, ACoroutineIsToldTheSame) {
    AsyncLock lock;
    Condition ready;
    EventLoop loop;
    std::stop_source stopped;
    stopped.request_stop();
    const auto wait = [&]() -> Promise<void> {
        auto guard = co_await lock.scoped_lock_async();
        const PredicateResult late = co_await ready.wait_async(guard, never, 1ms);
        EXPECT_FALSE(late);
        EXPECT_EQ(late.result(), WaitResult::timed_out);
        EXPECT_EQ((co_await ready.wait_async(guard, never, stopped.get_token())).result(), WaitResult::cancelled);
        EXPECT_EQ((co_await ready.wait_async(guard, always, 0ms)).result(), WaitResult::ok);
        EXPECT_TRUE(guard.owns_lock());
    };
    loop.run_until(wait());
}

TEST(ConditionStdNames, APredicateMayReturnWhatConvertsToBool) {
    AsyncLock lock;
    Condition ready;
    std::unique_lock hold(lock);
    int items = 0;
    EXPECT_FALSE(ready.wait(
        hold, [&] { return items; }, 1ms));
    EXPECT_FALSE(ready.wait_for(hold, 1ms, [&]() -> int* { return nullptr; }));
    EXPECT_TRUE(ready.wait_for(hold, 1ms, [&] { return &items; }));
}

/// A program that polls with a deadline that has come: others get the lock, by all forms of the wait.
TEST(ConditionStdNames, APollWithoutTimeLeftReleasesTheLock) {
    const auto past = steady_clock::now() - 1s;
    for (int form = 0; form < 4; ++form) {
        AsyncLock lock;
        Condition ready;
        bool is_ready = false;
        std::unique_lock hold(lock);
        std::jthread setter([&] {
            const std::scoped_lock also(lock);
            is_ready = true;
        });
        while (!is_ready) {
            if (form == 0) static_cast<void>(ready.wait_until(hold, past));
            if (form == 1) static_cast<void>(ready.wait_for(hold, 1ns, [&] { return is_ready; }));
            if (form == 2) static_cast<void>(ready.wait(hold, 0ms));
            if (form == 3)
                static_cast<void>(ready.wait(
                    hold, [&] { return is_ready; }, past));
        }
    }
}

TEST(ConditionStdNames, APollOfACoroutineLetsItsLoopGoOn) {
    AsyncLock lock;
    Condition ready;
    bool is_ready = false;
    EventLoop loop;
    const auto poll = [&](bool with_predicate) -> Promise<void> {
        auto guard = co_await lock.scoped_lock_async();
        while (!is_ready) {
            if (with_predicate)
                static_cast<void>(co_await ready.wait_async(
                    guard, [&] { return is_ready; }, 0ms));
            else
                static_cast<void>(co_await ready.wait_async(guard, 0ms));
        }
    };
    for (const bool with_predicate : {false, true}) {
        is_ready = false;
        loop.post([&] { is_ready = true; });
        loop.run_until(poll(with_predicate));
    }
}

}  // namespace
