// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::Condition;
using futon::Deadline;
using futon::WaitResult;
using futon::test::until;
using futon::test::until_waiting;
using futon::test::waiting_at;

struct Scene {
    AsyncLock lock;
    Condition condition;
    std::vector<int> order;

    /// A thread that waits once, and notes its number when it is notified.
    std::jthread waiter(int number) {
        const std::size_t before = waiting_at(condition);
        std::jthread thread([this, number] {
            std::unique_lock hold(lock);
            EXPECT_EQ(condition.wait(hold), WaitResult::ok);
            EXPECT_TRUE(hold.owns_lock());
            order.push_back(number);
        });
        until_waiting(condition, before + 1);
        until_free();
        return thread;
    }

    /// A waiter is queued before it releases the lock.
    void until_free() { const std::scoped_lock hold(lock); }
};

bool throws(std::errc code, auto f) {
    try {
        f();
    } catch (const std::system_error& error) {
        return error.code() == std::make_error_code(code);
    }
    return false;
}

TEST(Condition, HasFourBytesAndIsZeroWithoutWaiters) {
    static_assert(sizeof(Condition) == 4);
    futon::SharedArrayBuffer buffer(16);
    Condition& condition = Condition::at(buffer, 4);
    EXPECT_EQ(condition.notify_one(), 0U);
    EXPECT_EQ(condition.notify_all(), 0U);
    EXPECT_THROW(Condition::at(buffer, 2), std::out_of_range);
    EXPECT_THROW(Condition::at(buffer, 16), std::out_of_range);
}

TEST(Condition, WaitsInASharedArrayBuffer) {
    futon::SharedArrayBuffer buffer(8);
    bool is_set = false;
    std::jthread waiter([&] {
        std::unique_lock hold(AsyncLock::at(buffer));
        EXPECT_TRUE(Condition::at(buffer, 4).wait(hold, [&] { return is_set; }));
    });
    until_waiting(Condition::at(buffer, 4), 1);
    const std::scoped_lock hold(AsyncLock::at(buffer));
    is_set = true;
    EXPECT_EQ(Condition::at(buffer, 4).notify_one(), 1U);
}

TEST(Condition, NotifyOneMovesTheWaiterThatWaitedLongestToTheHeldLock) {
    Scene scene;
    const std::jthread first = scene.waiter(1);
    std::jthread second = scene.waiter(2);
    {
        const std::scoped_lock hold(scene.lock);
        EXPECT_EQ(scene.condition.notify_one(), 1U);
        EXPECT_EQ(waiting_at(scene.condition), 1U);
        EXPECT_EQ(waiting_at(scene.lock), 1U) << "it is moved, not woken";
    }
    until([&] {
        const std::scoped_lock hold(scene.lock);
        return !scene.order.empty();
    });
    EXPECT_EQ(scene.condition.notify_one(), 1U);
    second.join();
    EXPECT_EQ(scene.order, (std::vector{1, 2}));
    EXPECT_EQ(scene.condition.notify_one(), 0U);
}

TEST(Condition, NotifyAllMovesAllWaitersInTheirOrder) {
    Scene scene;
    {
        std::vector<std::jthread> waiters;
        for (int i = 0; i < 4; ++i) waiters.push_back(scene.waiter(i));
        const std::scoped_lock hold(scene.lock);
        EXPECT_EQ(scene.condition.notify_all(), 4U);
        EXPECT_EQ(waiting_at(scene.lock), 4U);
        EXPECT_EQ(scene.condition.notify_all(), 0U);
    }
    EXPECT_EQ(scene.order, (std::vector{0, 1, 2, 3}));
    EXPECT_TRUE(scene.lock.try_lock());
}

TEST(Condition, NotifyAllServesAllWaitersWhereTheLockIsFree) {
    Scene scene;
    {
        std::vector<std::jthread> waiters;
        for (int i = 0; i < 4; ++i) waiters.push_back(scene.waiter(i));
        EXPECT_EQ(scene.condition.notify_all(), 4U);
    }
    EXPECT_EQ(scene.order.size(), 4U);
    EXPECT_TRUE(scene.lock.try_lock());
}

TEST(Condition, AWaiterThatComesAfterANotificationIsNotWokenByIt) {
    Scene scene;
    scene.condition.notify_one();
    scene.condition.notify_all();
    std::unique_lock hold(scene.lock);
    EXPECT_EQ(scene.condition.wait(hold, 1ms), WaitResult::timed_out);
}

TEST(Condition, ATimeOutAndAStopOwnTheLock) {
    Scene scene;
    std::unique_lock hold(scene.lock);
    EXPECT_EQ(scene.condition.wait(hold, 1ms), WaitResult::timed_out);
    EXPECT_TRUE(hold.owns_lock());
    EXPECT_EQ(scene.condition.wait(hold, 0ms), WaitResult::timed_out);
    EXPECT_FALSE(scene.lock.try_lock());

    std::stop_source source;
    std::jthread stopper([&] {
        until_waiting(scene.condition, 1);
        source.request_stop();
    });
    EXPECT_EQ(scene.condition.wait(hold, source.get_token()), WaitResult::cancelled);
    EXPECT_TRUE(hold.owns_lock());
    EXPECT_EQ(scene.condition.wait(hold, source.get_token()), WaitResult::cancelled);
    EXPECT_EQ(waiting_at(scene.condition), 0U);
    EXPECT_EQ(scene.condition.notify_one(), 0U);
}

TEST(Condition, AStoppedWaiterWaitsForTheLockBeyondItsStop) {
    Scene scene;
    std::stop_source source;
    std::atomic<int> result{-1};
    std::jthread waiter([&] {
        std::unique_lock hold(scene.lock);
        result = static_cast<int>(scene.condition.wait(hold, source.get_token()));
    });
    until_waiting(scene.condition, 1);
    scene.lock.lock();
    source.request_stop();
    until_waiting(scene.lock, 1);  // a stop that comes between enqueueing and sleeping is seen a little later
    EXPECT_EQ(scene.condition.notify_one(), 0U);
    EXPECT_EQ(result, -1);
    scene.lock.unlock();
    waiter.join();
    EXPECT_EQ(result, static_cast<int>(WaitResult::cancelled));
}

TEST(Condition, AWaiterThatWasMovedWhenItsStopComesIsNotified) {
    Scene scene;
    std::stop_source source;
    std::atomic<int> result{-1};
    std::jthread waiter([&] {
        std::unique_lock hold(scene.lock);
        result = static_cast<int>(scene.condition.wait(hold, source.get_token()));
    });
    until_waiting(scene.condition, 1);
    scene.lock.lock();
    EXPECT_EQ(scene.condition.notify_one(), 1U);
    source.request_stop();
    until_waiting(scene.lock, 1);
    scene.lock.unlock();
    waiter.join();
    EXPECT_EQ(result, static_cast<int>(WaitResult::ok));
}

TEST(Condition, APredicateThatHoldsBeatsADeadlineAndAStop) {
    Scene scene;
    std::stop_source source;
    source.request_stop();
    std::unique_lock hold(scene.lock);
    EXPECT_TRUE(scene.condition.wait(
        hold, [] { return true; }, 0ms));
    EXPECT_TRUE(scene.condition.wait(
        hold, [] { return true; }, source.get_token()));
    EXPECT_FALSE(scene.condition.wait(hold, [] { return false; }, {0ms, source.get_token()}));
    int calls = 0;
    EXPECT_TRUE(scene.condition.wait(
        hold, [&] { return ++calls == 2; }, 1ms))
        << "it is asked again in the end";
    EXPECT_TRUE(hold.owns_lock());
}

TEST(Condition, APredicateThatThrowsLeavesTheLockOwned) {
    Scene scene;
    std::unique_lock hold(scene.lock);
    EXPECT_THROW(scene.condition.wait(hold, []() -> bool { throw std::runtime_error("no"); }), std::runtime_error);
    EXPECT_TRUE(hold.owns_lock());
}

TEST(Condition, AGuardIsReleasedAndOwnedAgain) {
    Scene scene;
    bool is_set = false;
    std::jthread waiter([&] {
        AsyncLock::Guard guard = futon::block(scene.lock.locking());
        EXPECT_TRUE(scene.condition.wait(guard, [&] { return is_set; }));
        EXPECT_TRUE(guard.owns_lock());
    });
    until_waiting(scene.condition, 1);
    const std::scoped_lock hold(scene.lock);
    is_set = true;
    scene.condition.notify_all();
}

TEST(Condition, RefusesALockThatIsNotHeld) {
    Scene scene;
    std::unique_lock none(scene.lock, std::defer_lock);
    EXPECT_TRUE(throws(std::errc::operation_not_permitted, [&] { (void)scene.condition.wait(none); }));
    std::unique_lock pretended(scene.lock, std::adopt_lock);
    EXPECT_TRUE(throws(std::errc::operation_not_permitted, [&] { (void)scene.condition.wait(pretended); }));
    pretended.release();
    AsyncLock::Guard empty(WaitResult::cancelled);
    EXPECT_TRUE(throws(std::errc::operation_not_permitted, [&] { (void)scene.condition.wait(empty); }));
    EXPECT_TRUE(throws(std::errc::operation_not_permitted, [&] { (void)scene.condition.waiting(std::move(empty)); }));
}

TEST(Condition, RefusesASecondLockWhileWaitersUseTheFirst) {
    Scene scene;
    AsyncLock other;
    std::unique_lock hold(other);
    {
        const std::jthread waiter = scene.waiter(1);
        EXPECT_TRUE(throws(std::errc::invalid_argument, [&] { (void)scene.condition.wait(hold, 0ms); }));
        EXPECT_TRUE(hold.owns_lock());
        EXPECT_EQ(scene.condition.notify_one(), 1U);
    }
    EXPECT_EQ(scene.condition.wait(hold, 1ms), WaitResult::timed_out) << "without waiters it may be another";
}

TEST(Condition, RefusesASecondLockUnderTheQueuesLock) {
    Scene scene;
    AsyncLock other;
    auto late = scene.condition.waiting(futon::block(other.locking()));
    const std::jthread waiter = scene.waiter(1);
    EXPECT_TRUE(throws(std::errc::invalid_argument, [&] { (void)futon::block(std::move(late)); }));
    EXPECT_TRUE(other.try_lock()) << "the operation has released it";
    EXPECT_EQ(scene.condition.notify_all(), 1U);
}

TEST(Condition, ACoroutineThatIsRefusedKeepsItsLock) {
    futon::EventLoop loop;
    Scene scene;
    AsyncLock other;
    std::optional<futon::Promise<Condition::Wakeup>> first;
    bool is_refused = false;
    const auto wait = [&]() -> futon::Promise<void> {
        AsyncLock::Guard guard = co_await other.scoped_lock_async();
        try {
            // While this asks, a waiter with the scene's lock is queued.
            co_await scene.condition.wait_async(guard, [&] {
                EXPECT_TRUE(scene.lock.try_lock());
                first.emplace(futon::promise_of(scene.condition.waiting({scene.lock, std::adopt_lock})));
                return false;
            });
        } catch (const std::system_error& error) {
            is_refused = error.code() == std::errc::invalid_argument;
        }
        EXPECT_TRUE(guard.owns_lock());
        EXPECT_FALSE(other.try_lock());
    };
    loop.run_until(wait());
    EXPECT_TRUE(is_refused);
    EXPECT_EQ(scene.condition.notify_one(), 1U);
    EXPECT_EQ(loop.run_until(std::move(*first)).result, WaitResult::ok);
}

TEST(Condition, IsRefusedOnAnAgentThatMayNotBlock) {
    Scene scene;
    futon::EventLoop loop(futon::CanBlock::no);
    std::unique_lock hold(scene.lock, std::try_to_lock);
    EXPECT_THROW((void)scene.condition.wait(hold), futon::BlockingForbidden);
    EXPECT_THROW(scene.condition.wait(hold, [] { return true; }), futon::BlockingForbidden);
    EXPECT_TRUE(hold.owns_lock());
}

TEST(Condition, ReleasesTheLockOfAnOperationThatIsNotUsed) {
    Scene scene;
    { [[maybe_unused]] auto unused = scene.condition.waiting(futon::block(scene.lock.locking())); }
    EXPECT_TRUE(scene.lock.try_lock());
}

TEST(Condition, IsUsedWithAStrictLock) {
    AsyncLock lock(futon::Fairness::strict);
    Condition condition;
    int rounds = 0;
    auto play = [&](int parity) {
        std::unique_lock hold(lock);
        while (rounds < 200) {
            condition.wait(hold, [&] { return rounds >= 200 || rounds % 2 == parity; });
            ++rounds;
            condition.notify_all();
        }
    };
    {
        const std::jthread even(play, 0);
        const std::jthread odd(play, 1);
    }
    EXPECT_GE(rounds, 200);
}

TEST(Condition, MayBeDestroyedByTheWaiterThatIsServed) {
    for (int i = 0; i < 200; ++i) {
        struct Shared {
            AsyncLock lock;
            Condition condition;
            bool is_set = false;
        };
        auto* shared = new Shared;
        std::jthread waiter([shared] {
            {
                std::unique_lock hold(shared->lock);
                shared->condition.wait(hold, [&] { return shared->is_set; });
            }
            delete shared;
        });
        const std::scoped_lock hold(shared->lock);
        shared->is_set = true;
        shared->condition.notify_one();
    }
}

TEST(Condition, ADroppedPromisePassesItsNotificationToAThreadWhileItsLoopDoesNotRun) {
    futon::EventLoop loop(futon::CanBlock::yes);
    Scene scene;
    std::optional dropped(futon::promise_of(scene.condition.waiting(scene.lock.scoped_lock())));
    std::optional<WaitResult> result;
    std::jthread behind([&] {
        std::unique_lock hold(scene.lock);
        result = scene.condition.wait(hold, 10s);
    });
    until_waiting(scene.condition, 2);
    EXPECT_EQ(scene.condition.notify_one(), 1U);

    dropped.reset();

    behind.join();
    EXPECT_EQ(result, WaitResult::ok);
}

}  // namespace
