// SPDX-License-Identifier: MIT
#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <thread>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/waiting.hpp"

// Tasks of event loops that lock a SharedLock: loops that do not run, coroutines that are destroyed, loops that end.
namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::Promise;
using futon::SharedLock;
using futon::WaitResult;
using futon::test::OwnedCoroutine;
using futon::test::until_waiting;
using futon::test::waiting_at;

constexpr futon::Fairness fairnesses[] = {futon::Fairness::strict, futon::Fairness::bounded};

void expect_free(SharedLock& lock) {
    EXPECT_EQ(waiting_at(lock), 0U);
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

TEST(SharedLockTasks, ThreadsDoNotWaitForALoopThatDoesNotRun) {
    for (const auto fairness : fairnesses) {
        for (const bool writes : {false, true}) {
            EventLoop loop(futon::CanBlock::yes);
            SharedLock lock(fairness);
            lock.lock();
            auto writer = std::make_unique<Promise<SharedLock::Guard>>(futon::promise_of(lock.locking()));
            std::jthread behind([&] {
                if (writes) {
                    std::unique_lock hold(lock);
                } else {
                    std::shared_lock hold(lock);
                }
            });
            until_waiting(lock, 2);
            futon::test::until_handoff_is_due();
            lock.unlock();
            behind.join();  // while the loop does not run
            EXPECT_TRUE(loop.run_until(std::move(*writer)).owns_lock());
            writer.reset();
            expect_free(lock);
        }
    }
}

TEST(SharedLockTasks, ReadersDoNotWaitForAnUpgradeOfALoopThatDoesNotRun) {
    for (const auto fairness : fairnesses) {
        EventLoop loop(futon::CanBlock::yes);
        SharedLock lock(fairness);
        lock.lock_shared();
        lock.lock_upgradeable();
        auto upgrade = futon::promise_of(lock.upgrading());
        EXPECT_FALSE(lock.try_lock_shared());
        std::jthread reader([&] { std::shared_lock hold(lock); });
        until_waiting(lock, 1);
        lock.unlock_shared();  // offers the upgrade
        reader.join();         // while the loop does not run
        EXPECT_EQ(loop.run_until(upgrade), WaitResult::ok);
        lock.unlock();
        expect_free(lock);
    }
}

TEST(SharedLockTasks, AnUpgradeIsOfferedForTheThreshold) {
    EventLoop loop(futon::CanBlock::yes);
    SharedLock lock;
    while (true) {  // again where this thread was held up for longer than the threshold
        lock.lock_shared();
        lock.lock_upgradeable();
        auto upgrade = futon::promise_of(lock.upgrading());
        const auto begin = std::chrono::steady_clock::now();
        lock.unlock_shared();
        const bool is_open = lock.try_lock_shared();
        const bool is_late = std::chrono::steady_clock::now() - begin >= SharedLock::handoff_threshold;
        if (is_open) lock.unlock_shared();
        EXPECT_EQ(loop.run_until(upgrade), WaitResult::ok);
        lock.unlock();
        if (is_late) continue;
        EXPECT_FALSE(is_open);
        break;
    }
    expect_free(lock);
}

TEST(SharedLockTasks, AWriterThatReadersOvertakeUntilItsLoopRunsKeepsItsPlace) {
    EventLoop loop(futon::CanBlock::yes);
    SharedLock lock;
    lock.lock_shared();
    auto writer = futon::promise_of(lock.locking());
    lock.unlock_shared();  // wakes the writer
    futon::test::until_handoff_is_due();
    ASSERT_TRUE(lock.try_lock_shared());
    loop.poll();  // in vain
    EXPECT_EQ(waiting_at(lock), 1U);
    auto behind = futon::promise_of(lock.locking());
    lock.unlock_shared();
    EXPECT_TRUE(loop.run_until(std::move(writer)).owns_lock());
    EXPECT_TRUE(loop.run_until(std::move(behind)).owns_lock());
    expect_free(lock);
}

TEST(SharedLockTasks, ReadersOfALoopAreServedBesideEachOther) {
    for (const auto fairness : fairnesses) {
        EventLoop loop(futon::CanBlock::yes);
        SharedLock lock(fairness);
        lock.lock();
        int together = 0;
        const auto read = [&]() -> Promise<void> {
            const auto guard = co_await lock.scoped_lock_shared_async();
            ++together;
            while (together < 3) co_await futon::sleep_for(0ms);
        };
        auto all = futon::all(read(), read(), read());
        EXPECT_EQ(waiting_at(lock), 3U);
        lock.unlock();
        loop.run_until(std::move(all));
        expect_free(lock);
    }
}

TEST(SharedLockTasks, WhatADestroyedCoroutineHadGotGoesToTheNext) {
    EventLoop loop(futon::CanBlock::yes);
    for (const auto fairness : fairnesses) {
        SharedLock lock(fairness);
        lock.lock();
        const auto write = [&]() -> OwnedCoroutine { (void)co_await lock.scoped_lock_async(); };
        OwnedCoroutine first = write();
        auto next = futon::promise_of(lock.locking_shared());
        lock.unlock();  // offered to the first, which does not run before it is destroyed
        first.destroy();
        EXPECT_TRUE(loop.run_until(std::move(next)).owns_lock());
        expect_free(lock);
    }
}

TEST(SharedLockTasks, ADestroyedUpgradeLetsReadersGoOn) {
    EventLoop loop(futon::CanBlock::yes);
    for (const bool is_offered : {false, true}) {
        SharedLock lock;
        lock.lock_shared();
        const auto upgrade = [&]() -> OwnedCoroutine {
            auto guard = co_await lock.scoped_lock_upgradeable_async();
            (void)co_await guard.upgrade_async();
        };
        OwnedCoroutine upgrader = upgrade();
        auto reader = futon::promise_of(lock.locking_shared());
        EXPECT_EQ(waiting_at(lock), 1U);
        if (is_offered) lock.unlock_shared();
        upgrader.destroy();
        EXPECT_TRUE(loop.run_until(std::move(reader)).owns_lock());
        if (!is_offered) lock.unlock_shared();
        expect_free(lock);
    }
}

TEST(SharedLockTasks, AFailedUpgradeKeepsTheGuard) {
    EventLoop loop(futon::CanBlock::yes);
    SharedLock lock;
    lock.lock_shared();
    std::stop_source stopped;
    stopped.request_stop();
    const auto work = [&]() -> Promise<void> {
        auto guard = co_await lock.scoped_lock_upgradeable_async();
        EXPECT_EQ((co_await guard.upgrade_async(1ms)).result(), WaitResult::timed_out);
        EXPECT_EQ((co_await guard.upgrade_async(stopped.get_token())).result(), WaitResult::cancelled);
        EXPECT_TRUE(guard.owns_lock());
        EXPECT_FALSE(lock.try_lock_upgradeable());
        EXPECT_TRUE(lock.try_lock_shared());
        lock.unlock_shared();
        lock.unlock_shared();
        const auto writer = co_await guard.upgrade_async({0ms, stopped.get_token()});  // what is ready beats both
        EXPECT_TRUE(writer.owns_lock());
        EXPECT_FALSE(guard.owns_lock());
    };
    loop.run_until(work());
    expect_free(lock);
}

TEST(SharedLockTasks, ASelectThatChoosesAnotherLeavesTheUpgradeUndone) {
    EventLoop loop(futon::CanBlock::yes);
    SharedLock lock;
    SharedLock other;
    other.lock();
    lock.lock_shared();
    auto guard = lock.scoped_lock_upgradeable();
    std::jthread unlocker([&] {
        until_waiting(other, 1);
        other.unlock();
    });
    auto chosen = futon::select(guard.upgrading(), other.locking());
    EXPECT_EQ(chosen.index(), 1U);
    EXPECT_TRUE(guard.owns_lock());
    EXPECT_TRUE(lock.try_lock_shared());  // readers go on
    lock.unlock_shared();
    lock.unlock_shared();
    auto writer = futon::select(guard.upgrading(), futon::timeout(10s));
    EXPECT_EQ(writer.index(), 0U);
    EXPECT_FALSE(guard.owns_lock());
}

TEST(SharedLockTasks, ALoopThatEndsGivesBackWhatItsTasksHadGot) {
    for (const auto fairness : fairnesses) {
        SharedLock lock(fairness);
        SharedLock upgraded(fairness);
        lock.lock();
        upgraded.lock_shared();
        {
            EventLoop loop;
            auto writer = futon::promise_of(lock.locking());
            auto reader = futon::promise_of(lock.locking_shared());
            ASSERT_TRUE(upgraded.try_lock_upgradeable());
            SharedLock::UpgradeableGuard guard(upgraded, std::adopt_lock);
            auto upgrade = futon::promise_of(guard.upgrading());
            lock.unlock();
            upgraded.unlock_shared();
        }
        expect_free(lock);
        expect_free(upgraded);
    }
}

TEST(SharedLockTasks, LockByHandAndUnlockFairly) {
    for (const auto fairness : fairnesses) {
        EventLoop loop;
        SharedLock lock(fairness);
        const auto use = [&]() -> Promise<void> {
            co_await lock.lock_async();
            EXPECT_FALSE(lock.try_lock_shared());
            lock.unlock_fair();
            co_await lock.lock_shared_async();
            EXPECT_FALSE(lock.try_lock());
            co_await lock.lock_upgradeable_async();
            EXPECT_FALSE(lock.try_lock_upgradeable());
            lock.unlock_upgradeable_fair();
            lock.unlock_shared_fair();
        };
        loop.run_until(use());
        expect_free(lock);
    }
}

TEST(SharedLockTasks, FunctionsRunWhileItIsHeld) {
    EventLoop loop;
    SharedLock lock;
    ASSERT_TRUE(lock.try_lock());
    auto writing = lock.execute_locked([&]() -> Promise<int> {
        EXPECT_FALSE(lock.try_lock_shared());
        co_await futon::sleep_for(0ms);
        EXPECT_FALSE(lock.try_lock_shared());
        co_return 5;
    });
    auto reading = lock.execute_locked_shared([&] {
        EXPECT_FALSE(lock.try_lock());
        EXPECT_TRUE(lock.try_lock_shared());
        lock.unlock_shared();
    });
    EXPECT_EQ(waiting_at(lock), 2U);
    lock.unlock();
    EXPECT_EQ(loop.run_until(std::move(writing)), 5);
    loop.run_until(std::move(reading));  // no writer is queued then, for whom readers would be refused after a while
    auto throwing = lock.execute_locked([]() -> int { throw std::runtime_error("of the function"); });
    EXPECT_THROW(loop.run_until(std::move(throwing)), std::runtime_error);
    expect_free(lock);
}

TEST(SharedLockTasks, AFunctionForALockWithoutAnExecutorIsRefused) {
    SharedLock lock;
    std::jthread([&] {
        EXPECT_THROW(static_cast<void>(lock.execute_locked([] { ADD_FAILURE(); })), futon::NoExecutor);
        EXPECT_THROW(static_cast<void>(lock.execute_locked_shared([] { ADD_FAILURE(); })), futon::NoExecutor);
    }).join();
    expect_free(lock);
}

}  // namespace
