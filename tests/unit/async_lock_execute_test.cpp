// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using futon::AsyncLock;
using futon::EventLoop;
using futon::Promise;
using futon::Word;
using futon::test::until_waiting;
using futon::test::waiting_at;

TEST(ExecuteLocked, RunsAtOnceWhenUnlocked) {
    EventLoop loop;
    AsyncLock lock;
    bool has_run = false;

    const auto promise = lock.execute_locked([&] { has_run = true; });

    EXPECT_TRUE(has_run);
}

TEST(ExecuteLocked, RunsOnTheLoopOnceUnlocked) {
    EventLoop loop;
    AsyncLock lock;
    bool has_run = false;
    EXPECT_TRUE(lock.try_lock());

    const auto promise = lock.execute_locked([&] { has_run = true; });
    const bool ran_at_once = has_run;
    lock.unlock();
    const bool ran_in_unlock = has_run;
    loop.run();

    EXPECT_FALSE(ran_at_once);
    EXPECT_FALSE(ran_in_unlock);
    EXPECT_TRUE(has_run);
}

TEST(ExecuteLocked, HoldsTheLockWhileItRuns) {
    EventLoop loop;
    AsyncLock lock;
    bool was_free = true;

    const auto promise = lock.execute_locked([&] { was_free = lock.try_lock(); });

    EXPECT_FALSE(was_free);
}

TEST(ExecuteLocked, UnlocksAfterTheFunctionReturned) {
    EventLoop loop;
    AsyncLock lock;

    const auto promise = lock.execute_locked([] {});

    EXPECT_TRUE(lock.try_lock());
}

TEST(ExecuteLocked, UnlocksBeforeContinuationsOfItsPromiseRun) {
    EventLoop loop;
    AsyncLock lock;
    bool was_free = false;

    const auto promise = lock.execute_locked([] {}).then([&] { was_free = lock.try_lock(); });
    loop.run();

    EXPECT_TRUE(was_free);
}

TEST(ExecuteLocked, YieldsTheFunctionsResult) {
    EventLoop loop;
    AsyncLock lock;

    const int value = loop.run_until(lock.execute_locked([] { return 7; }));

    EXPECT_EQ(value, 7);
}

TEST(ExecuteLocked, YieldsAMoveOnlyResult) {
    EventLoop loop;
    AsyncLock lock;

    const std::unique_ptr<int> value = loop.run_until(lock.execute_locked([] { return std::make_unique<int>(7); }));

    EXPECT_EQ(*value, 7);
}

TEST(ExecuteLocked, AcceptsAMoveOnlyFunction) {
    EventLoop loop;
    AsyncLock lock;

    const int value = loop.run_until(lock.execute_locked([held = std::make_unique<int>(7)] { return *held; }));

    EXPECT_EQ(value, 7);
}

TEST(ExecuteLocked, YieldsTheResultOfAReturnedPromise) {
    EventLoop loop;
    AsyncLock lock;
    std::int32_t cell = 0;
    const Word word(cell);

    auto promise = lock.execute_locked(
        [&]() -> Promise<std::string> { co_return std::string(to_string(co_await wait_async(word, 0))); });
    notify(word);
    const std::string result = loop.run_until(std::move(promise));

    EXPECT_EQ(result, "ok");
}

TEST(ExecuteLocked, HoldsTheLockUntilAReturnedPromiseSettles) {
    EventLoop loop;
    AsyncLock lock;
    std::int32_t cell = 0;
    const Word word(cell);

    auto promise = lock.execute_locked([&]() -> Promise<void> { co_await wait_async(word, 0); });
    loop.poll();
    const bool unlocked_before = lock.try_lock();
    notify(word);
    loop.run_until(std::move(promise));

    EXPECT_FALSE(unlocked_before);
    EXPECT_TRUE(lock.try_lock());
}

TEST(ExecuteLocked, RejectsItsPromiseWithTheFunctionsException) {
    EventLoop loop;
    AsyncLock lock;

    auto promise = lock.execute_locked([]() -> int { throw std::runtime_error("broken"); });

    EXPECT_THROW(loop.run_until(std::move(promise)), std::runtime_error);
}

TEST(ExecuteLocked, UnlocksAfterAnException) {
    EventLoop loop;
    AsyncLock lock;

    auto promise = lock.execute_locked([] { throw std::runtime_error("broken"); });

    EXPECT_TRUE(lock.try_lock());
    EXPECT_THROW(loop.run_until(promise), std::runtime_error);
}

TEST(ExecuteLocked, RunRethrowsAnUnobservedException) {
    EventLoop loop;
    AsyncLock lock;

    static_cast<void>(lock.execute_locked([] { throw std::runtime_error("broken"); }));

    EXPECT_THROW(loop.run(), std::runtime_error);
}

TEST(ExecuteLocked, GivesEachCallWithoutAResultAPromiseOfItsOwn) {
    AsyncLock lock;
    EventLoop loop;
    int count = 0;
    Promise<void> kept = lock.execute_locked([&] { ++count; });
    std::thread([&] {
        EventLoop other;
        static_cast<void>(lock.execute_locked([&] { ++count; }).then([&] { ++count; }));
        other.run();
        static_cast<void>(lock.execute_locked([&] { ++count; }));
    }).join();

    Promise<void> dropped = lock.execute_locked([&] { ++count; });
    auto rejected = lock.execute_locked([] { throw std::runtime_error("broken"); });
    dropped = kept.then([&] { ++count; });
    Promise<void> after = [](Promise<void> first, Promise<void> second) -> Promise<void> {
        co_await first;
        co_await second;
        co_await second;
    }(std::move(kept), lock.execute_locked([&] { ++count; }));

    EXPECT_THROW(loop.run_until(rejected), std::runtime_error);
    loop.run_until(after);
    loop.run_until(dropped);
    EXPECT_EQ(count, 7);
}

TEST(ExecuteLocked, RunsWhenItsPromiseIsDropped) {
    EventLoop loop;
    AsyncLock lock;
    bool has_run = false;
    EXPECT_TRUE(lock.try_lock());

    static_cast<void>(lock.execute_locked([&] { has_run = true; }));
    lock.unlock();
    loop.run();

    EXPECT_TRUE(has_run);
}

/// A lock that is not strict keeps the order as long as its loop comes in time for what it is offered: where the machine has kept the
/// loop from running, a function may run before one that was offered the lock in vain. All run once in any case.
TEST(ExecuteLocked, RunsInTheOrderOfTheCalls) {
    using Clock = std::chrono::steady_clock;
    EventLoop loop;
    AsyncLock lock;
    std::vector<int> order;
    std::vector<int> expected;
    EXPECT_TRUE(lock.try_lock());

    auto latest = Clock::now();
    Clock::duration longest{};
    const auto note_time = [&] {
        const auto now = Clock::now();
        longest = std::max(longest, now - std::exchange(latest, now));
    };
    for (int i = 0; i < 1000; ++i) {
        static_cast<void>(lock.execute_locked([&, i] {
            note_time();
            order.push_back(i);
        }));
        expected.push_back(i);
    }
    latest = Clock::now();
    lock.unlock();
    loop.run();
    note_time();

    if (longest >= std::chrono::microseconds(500)) std::sort(order.begin(), order.end());
    EXPECT_EQ(order, expected);
}

TEST(ExecuteLocked, SharesOneQueueWithThreads) {
    EventLoop loop;
    AsyncLock lock;
    std::vector<int> order;
    std::vector<std::jthread> workers;
    EXPECT_TRUE(lock.try_lock());
    for (int i = 0; i < 6; ++i) {
        if (i % 2 == 0) {
            static_cast<void>(lock.execute_locked([&, i] { order.push_back(i); }));
        } else {
            workers.emplace_back([&, i] {
                const std::scoped_lock hold(lock);
                order.push_back(i);
            });
        }
        until_waiting(lock, static_cast<std::size_t>(i) + 1);
    }

    lock.unlock();
    loop.run();
    workers.clear();

    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, (std::vector{0, 1, 2, 3, 4, 5}));
}

TEST(ExecuteLocked, ThrowsWithoutAnExecutor) {
    AsyncLock lock;
    bool has_run = false;

    EXPECT_THROW(static_cast<void>(lock.execute_locked([&] { has_run = true; })), futon::NoExecutor);

    EXPECT_FALSE(has_run);
    EXPECT_TRUE(lock.try_lock());
}

TEST(ExecuteLocked, ProvidesMutualExclusionBetweenThreadsAndTheLoop) {
    constexpr int rounds = 2000;
    EventLoop loop;
    AsyncLock lock;
    int sum = 0;
    std::vector<std::jthread> workers;
    for (int i = 0; i < 3; ++i) {
        workers.emplace_back([&] {
            for (int round = 0; round < rounds; ++round) {
                const std::scoped_lock hold(lock);
                ++sum;
            }
        });
    }

    for (int round = 0; round < rounds; ++round) loop.run_until(lock.execute_locked([&] { ++sum; }));
    workers.clear();

    EXPECT_EQ(sum, 4 * rounds);
    EXPECT_EQ(waiting_at(lock), 0u);
}

/// Tells, when it is destroyed, what the lock and the one who listens are doing.
struct Capture {
    AsyncLock& lock;
    const bool& is_heard;
    std::vector<std::string>& seen;

    ~Capture() {
        const bool was_free = lock.try_lock();
        if (was_free) lock.unlock();
        seen.emplace_back(was_free ? "released" : "held");
        seen.emplace_back(is_heard ? "heard" : "not heard");
    }
};

TEST(ExecuteLocked, DestroysCapturesAfterTheLockIsReleasedAndBeforeWhatListensRuns) {
    EventLoop loop;
    AsyncLock lock;
    futon::Event go_on;
    bool is_heard = false;
    std::vector<std::string> seen;
    auto capture = std::unique_ptr<Capture>(new Capture{lock, is_heard, seen});
    const auto promise = lock.execute_locked([&go_on, owned = std::move(capture)]() -> Promise<void> {
        static_cast<void>(co_await go_on.wait_async());
        EXPECT_EQ(owned->seen.size(), 0u);
    });
    const auto heard = promise.then([&] { is_heard = true; });
    loop.poll();
    EXPECT_TRUE(seen.empty());

    go_on.set();
    loop.run();

    EXPECT_EQ(seen, (std::vector<std::string>{"released", "not heard"}));
    EXPECT_TRUE(is_heard);
}

TEST(ExecuteLocked, DestroysCapturesWithTheLoopIfThatEndsFirst) {
    AsyncLock lock;
    const bool is_heard = false;
    std::vector<std::string> seen;
    ASSERT_TRUE(lock.try_lock());
    {
        EventLoop loop;
        const auto promise = lock.execute_locked(
            [owned = std::unique_ptr<Capture>(new Capture{lock, is_heard, seen})] { FAIL() << "the loop has ended"; });
    }

    EXPECT_EQ(seen, (std::vector<std::string>{"held", "not heard"}));
    lock.unlock();
}

}  // namespace
