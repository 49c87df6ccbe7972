// SPDX-License-Identifier: MIT
// Locks whose owner is gone: released in its place, and the next owner is told.
#include <thread>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::EventLoop;
using futon::Fairness;
using futon::test::until_waiting;

TEST(AbandonedLock, IsFreeAndItsNextOwnerIsToldOnce) {
    for (const Fairness fairness : {Fairness::bounded, Fairness::strict}) {
        AsyncLock lock(fairness);
        lock.lock();

        EXPECT_TRUE(lock.abandon());

        ASSERT_TRUE(lock.try_lock());
        EXPECT_TRUE(lock.take_abandonment());
        EXPECT_FALSE(lock.take_abandonment());
        lock.unlock();
        lock.lock();
        EXPECT_FALSE(lock.take_abandonment());
        lock.unlock();
    }
}

TEST(AbandonedLock, IsNotOneThatWasUnlocked) {
    AsyncLock lock;
    lock.lock();
    lock.unlock();

    EXPECT_FALSE(lock.abandon());

    lock.lock();
    EXPECT_FALSE(lock.take_abandonment());
    lock.unlock();
}

TEST(AbandonedLock, TellsTheFirstOwnerThatAsks) {
    AsyncLock lock;
    lock.lock();
    lock.abandon();
    for (int i = 0; i < 3; ++i) {
        lock.lock();
        EXPECT_FALSE(lock.try_lock());
        lock.unlock();
        EXPECT_TRUE(lock.try_lock_for(1h));
        lock.unlock();
    }

    lock.lock();
    EXPECT_TRUE(lock.take_abandonment());
    lock.unlock();
}

TEST(AbandonedLock, GoesToAThreadThatWaits) {
    for (const Fairness fairness : {Fairness::bounded, Fairness::strict}) {
        AsyncLock lock(fairness);
        bool is_told = false;
        lock.lock();
        std::jthread waiter([&] {
            lock.lock();
            is_told = lock.take_abandonment();
            lock.unlock();
        });
        until_waiting(lock, 1);

        EXPECT_TRUE(lock.abandon());
        waiter.join();

        EXPECT_TRUE(is_told);
        EXPECT_TRUE(lock.try_lock());
        EXPECT_FALSE(lock.take_abandonment());
    }
}

TEST(AbandonedLock, GoesToATaskThatWaits) {
    AsyncLock lock;
    lock.lock();
    EventLoop loop;
    const auto first = lock.execute_locked([&] { return lock.take_abandonment(); });
    const auto second = lock.execute_locked([&] { return lock.take_abandonment(); });

    std::jthread([&] { lock.abandon(); }).join();

    EXPECT_TRUE(loop.run_until(first));
    EXPECT_FALSE(loop.run_until(second));
}

TEST(AbandonedLock, KeepsTheMarkWhileItIsHandedOff) {
    AsyncLock lock;
    lock.lock();
    int told = 0;
    std::vector<std::jthread> waiters;
    for (int i = 0; i < 3; ++i) {
        waiters.emplace_back([&] {
            lock.lock();
            told += lock.take_abandonment() ? 1 : 0;
            lock.abandon();
        });
        until_waiting(lock, static_cast<std::size_t>(i) + 1);
    }

    lock.abandon();
    waiters.clear();

    EXPECT_EQ(told, 3);
    lock.lock();
    EXPECT_TRUE(lock.take_abandonment());
    lock.unlock();
}

}  // namespace
