// SPDX-License-Identifier: MIT
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using futon::AsyncLock;
using futon::Int32Array;
using futon::SharedArrayBuffer;
using futon::test::until_waiting;

static_assert(sizeof(AsyncLock) == 4);

TEST(AsyncLock, IsUnlockedWhenItsBytesAreZero) {
    SharedArrayBuffer buffer(4);
    AsyncLock& lock = AsyncLock::at(buffer);

    const bool locked = lock.try_lock();

    EXPECT_TRUE(locked);
}

TEST(AsyncLock, IsNonzeroWhileLockedAndZeroOnceUnlocked) {
    SharedArrayBuffer buffer(4);
    const Int32Array words(buffer);
    AsyncLock& lock = AsyncLock::at(buffer);

    lock.lock();
    const std::int32_t locked = words[0].load();
    lock.unlock();

    EXPECT_NE(locked, 0);
    EXPECT_EQ(words[0].load(), 0);
}

TEST(AsyncLock, TryLockFailsWhileHeld) {
    AsyncLock lock;
    lock.lock();

    const bool acquired = lock.try_lock();

    EXPECT_FALSE(acquired);
}

TEST(AsyncLock, TryLockSucceedsOnceUnlocked) {
    AsyncLock lock;
    lock.lock();
    lock.unlock();

    const bool acquired = lock.try_lock();

    EXPECT_TRUE(acquired);
}

TEST(AsyncLock, WorksWithScopedLock) {
    AsyncLock lock;

    {
        const std::scoped_lock hold(lock);
        EXPECT_FALSE(lock.try_lock());
    }

    EXPECT_TRUE(lock.try_lock());
}

TEST(AsyncLock, WorksWithUniqueLock) {
    AsyncLock lock;

    std::unique_lock hold(lock, std::try_to_lock);
    const bool owned = hold.owns_lock();
    hold.unlock();

    EXPECT_TRUE(owned);
    EXPECT_TRUE(lock.try_lock());
}

TEST(AsyncLock, ScopedLockOfTwoLocksDoesNotDeadlock) {
    constexpr int rounds = 2000;
    AsyncLock first;
    AsyncLock second;
    int sum = 0;
    const auto add = [&](AsyncLock& one, AsyncLock& other) {
        for (int i = 0; i < rounds; ++i) {
            const std::scoped_lock hold(one, other);
            ++sum;
        }
    };

    {
        const std::jthread forwards(add, std::ref(first), std::ref(second));
        const std::jthread backwards(add, std::ref(second), std::ref(first));
    }

    EXPECT_EQ(sum, 2 * rounds);
}

TEST(AsyncLock, ProvidesMutualExclusionBetweenThreads) {
    constexpr int threads = 4;
    constexpr int rounds = 5000;
    AsyncLock lock;
    int sum = 0;

    {
        std::vector<std::jthread> workers;
        for (int i = 0; i < threads; ++i) {
            workers.emplace_back([&] {
                for (int round = 0; round < rounds; ++round) {
                    const std::scoped_lock hold(lock);
                    ++sum;
                }
            });
        }
    }

    EXPECT_EQ(sum, threads * rounds);
}

TEST(AsyncLock, MayBeUnlockedByAnotherThread) {
    AsyncLock lock;
    lock.lock();

    std::thread([&] { lock.unlock(); }).join();

    EXPECT_TRUE(lock.try_lock());
}

TEST(AsyncLock, IsAcquiredByWaitingThreadsInFifoOrder) {
    AsyncLock lock;
    std::vector<int> order;
    lock.lock();
    std::vector<std::jthread> workers;
    for (int i = 0; i < 4; ++i) {
        workers.emplace_back([&, i] {
            const std::scoped_lock hold(lock);
            order.push_back(i);
        });
        until_waiting(lock, workers.size());
    }

    lock.unlock();
    workers.clear();

    EXPECT_EQ(order, (std::vector{0, 1, 2, 3}));
}

TEST(AsyncLock, UnlockThrowsWhenNotHeld) {
    AsyncLock lock;

    try {
        lock.unlock();
        FAIL() << "unlock() did not throw";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::operation_not_permitted);
    }
}

TEST(AsyncLock, StaysUnlockedWhenUnlockThrows) {
    SharedArrayBuffer buffer(4);
    AsyncLock& lock = AsyncLock::at(buffer);

    EXPECT_THROW(lock.unlock(), std::system_error);

    EXPECT_EQ(Int32Array(buffer)[0].load(), 0);
}

TEST(AsyncLock, LockThrowsOnAnAgentThatMayNotBlock) {
    AsyncLock lock;
    const futon::Agent main_thread(futon::CanBlock::no);

    EXPECT_THROW(lock.lock(), futon::BlockingForbidden);
}

TEST(AsyncLock, LeavesItsWordUnchangedWhenLockThrows) {
    for (const std::int32_t word : {0, 1}) {
        SharedArrayBuffer buffer(4);
        Int32Array(buffer)[0].store(word);
        const futon::Agent main_thread(futon::CanBlock::no);

        EXPECT_THROW(AsyncLock::at(buffer).lock(), futon::BlockingForbidden);

        EXPECT_EQ(Int32Array(buffer)[0].load(), word);
    }
}

TEST(AsyncLock, TryLockAndUnlockWorkOnAnAgentThatMayNotBlock) {
    AsyncLock lock;
    const futon::Agent main_thread(futon::CanBlock::no);

    const bool acquired = lock.try_lock();

    EXPECT_TRUE(acquired);
    EXPECT_NO_THROW(lock.unlock());
}

TEST(AsyncLock, IsSharedByAllHandlesOfABuffer) {
    SharedArrayBuffer buffer(64);
    SharedArrayBuffer other = buffer;

    AsyncLock::at(buffer, 32).lock();

    EXPECT_FALSE(AsyncLock::at(other, 32).try_lock());
    EXPECT_TRUE(AsyncLock::at(other, 36).try_lock());
}

TEST(AsyncLock, OverlaysAWordOfFourBytes) {
    std::int32_t cell = 0;
    AsyncLock& lock = AsyncLock::at(futon::Word(cell));

    lock.lock();

    EXPECT_EQ(cell, 1);
    EXPECT_FALSE(AsyncLock::at(futon::Word(cell)).try_lock());
    lock.unlock();
    EXPECT_EQ(cell, 0);
}

TEST(AsyncLock, AtThrowsForAMisalignedOffset) {
    SharedArrayBuffer buffer(64);

    EXPECT_THROW(AsyncLock::at(buffer, 2), std::out_of_range);
}

TEST(AsyncLock, AtThrowsForAnOffsetOutsideTheBuffer) {
    SharedArrayBuffer buffer(64);

    EXPECT_NO_THROW(AsyncLock::at(buffer, 60));
    EXPECT_THROW(AsyncLock::at(buffer, 64), std::out_of_range);
    EXPECT_THROW(AsyncLock::at(buffer, std::size_t{0} - 4), std::out_of_range);
}

TEST(AsyncLock, TryUnlockReturnsWhetherItWasHeld) {
    AsyncLock lock;
    lock.lock();

    EXPECT_TRUE(lock.try_unlock());
    EXPECT_FALSE(lock.try_unlock());
    EXPECT_TRUE(lock.try_lock());
}

}  // namespace
