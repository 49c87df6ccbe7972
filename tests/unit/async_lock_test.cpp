// SPDX-License-Identifier: MIT
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <futon/futon.hpp>

#include "support/waiting.hpp"

namespace {

using futon::AsyncLock;
using futon::Int32Array;
using futon::SharedArrayBuffer;
using futon::test::until_waiting;

static_assert(sizeof(AsyncLock) == 4);

TEST(AsyncLock, IsFreeWhenItsBytesAreZero) {
    SharedArrayBuffer buffer(4);
    AsyncLock& lock = AsyncLock::at(buffer);

    const bool locked = lock.try_lock();

    EXPECT_TRUE(locked);
}

TEST(AsyncLock, ChangesItsBytesWhenLockedAndZeroesThemWhenUnlocked) {
    SharedArrayBuffer buffer(4);
    const Int32Array words(buffer);
    AsyncLock& lock = AsyncLock::at(buffer);

    lock.lock();
    const std::int32_t locked = words[0].load();
    lock.unlock();

    EXPECT_NE(locked, 0);
    EXPECT_EQ(words[0].load(), 0);
}

TEST(AsyncLock, CannotBeTakenWhileHeld) {
    AsyncLock lock;
    lock.lock();

    const bool taken = lock.try_lock();

    EXPECT_FALSE(taken);
}

TEST(AsyncLock, StaysItsOwnersWhileAnotherLooksForItAMoment) {
    AsyncLock lock;
    lock.lock();

    const bool taken = lock.try_lock_spinning();
    lock.unlock();

    EXPECT_FALSE(taken);
    EXPECT_TRUE(lock.try_lock());
}

TEST(AsyncLock, IsTheCallersOnlyIfLookingForAMomentSaysSo) {
    AsyncLock lock;

    const bool taken = lock.try_lock_spinning();  // it may not look at all

    EXPECT_EQ(lock.try_lock(), !taken);
}

TEST(AsyncLock, KeepsItsLineWhileAnotherLooksForItAMoment) {
    AsyncLock lock;
    bool was_locked = false;
    lock.lock();
    std::jthread waiter([&] {
        const std::scoped_lock hold(lock);
        was_locked = true;
    });
    until_waiting(lock, 1);

    const bool taken = lock.try_lock_spinning();
    lock.unlock();
    waiter.join();

    EXPECT_FALSE(taken);
    EXPECT_TRUE(was_locked);
}

TEST(AsyncLock, CanBeTakenAgainOnceUnlocked) {
    AsyncLock lock;
    lock.lock();
    lock.unlock();

    const bool taken = lock.try_lock();

    EXPECT_TRUE(taken);
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

TEST(AsyncLock, IsTakenTogetherWithOthersWithoutDeadlock) {
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

TEST(AsyncLock, ExcludesThreadsFromEachOther) {
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

TEST(AsyncLock, IsUnlockedByWhicheverThread) {
    AsyncLock lock;
    lock.lock();

    std::thread([&] { lock.unlock(); }).join();

    EXPECT_TRUE(lock.try_lock());
}

TEST(AsyncLock, GoesToTheThreadThatWaitsLongest) {
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

TEST(AsyncLock, ThrowsWhenUnlockedWhileFree) {
    AsyncLock lock;

    try {
        lock.unlock();
        FAIL() << "it did not throw";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::operation_not_permitted);
    }
}

TEST(AsyncLock, StaysFreeWhenUnlockedWhileFree) {
    SharedArrayBuffer buffer(4);
    AsyncLock& lock = AsyncLock::at(buffer);

    EXPECT_THROW(lock.unlock(), std::system_error);

    EXPECT_EQ(Int32Array(buffer)[0].load(), 0);
}

TEST(AsyncLock, ForbidsLockingOnAnAgentThatMayNotBlock) {
    AsyncLock lock;
    const futon::Agent main_thread(futon::CanBlock::no);

    EXPECT_THROW(lock.lock(), futon::BlockingForbidden);
}

TEST(AsyncLock, IsUnchangedWhereLockingIsForbidden) {
    for (const std::int32_t word : {0, 1}) {
        SharedArrayBuffer buffer(4);
        Int32Array(buffer)[0].store(word);
        const futon::Agent main_thread(futon::CanBlock::no);

        EXPECT_THROW(AsyncLock::at(buffer).lock(), futon::BlockingForbidden);

        EXPECT_EQ(Int32Array(buffer)[0].load(), word);
    }
}

TEST(AsyncLock, CanBeTriedAndUnlockedOnAnAgentThatMayNotBlock) {
    AsyncLock lock;
    const futon::Agent main_thread(futon::CanBlock::no);

    const bool taken = lock.try_lock();

    EXPECT_TRUE(taken);
    EXPECT_NO_THROW(lock.unlock());
}

TEST(AsyncLock, IsTheSameThroughEveryHandleOfABuffer) {
    SharedArrayBuffer buffer(64);
    SharedArrayBuffer other = buffer;

    AsyncLock::at(buffer, 32).lock();

    EXPECT_FALSE(AsyncLock::at(other, 32).try_lock());
    EXPECT_TRUE(AsyncLock::at(other, 36).try_lock());
}

TEST(AsyncLock, LiesInAnyWordOfFourBytes) {
    std::int32_t cell = 0;
    AsyncLock& lock = AsyncLock::at(futon::Word(cell));

    lock.lock();

    EXPECT_EQ(cell, 1);
    EXPECT_FALSE(AsyncLock::at(futon::Word(cell)).try_lock());
    lock.unlock();
    EXPECT_EQ(cell, 0);
}

TEST(AsyncLock, IsNotFoundAtAMisalignedOffset) {
    SharedArrayBuffer buffer(64);

    EXPECT_THROW(AsyncLock::at(buffer, 2), std::out_of_range);
}

TEST(AsyncLock, IsNotFoundOutsideItsBuffer) {
    SharedArrayBuffer buffer(64);

    EXPECT_NO_THROW(AsyncLock::at(buffer, 60));
    EXPECT_THROW(AsyncLock::at(buffer, 64), std::out_of_range);
    EXPECT_THROW(AsyncLock::at(buffer, std::size_t{0} - 4), std::out_of_range);
}

TEST(AsyncLock, SaysWhetherThereWasAnythingToUnlock) {
    AsyncLock lock;
    lock.lock();

    EXPECT_TRUE(lock.try_unlock());
    EXPECT_FALSE(lock.try_unlock());
    EXPECT_TRUE(lock.try_lock());
}

}  // namespace
