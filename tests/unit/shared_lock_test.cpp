// SPDX-License-Identifier: MIT
#include <futon/sync/shared_lock.hpp>

#include <atomic>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/shared_lock_modes.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::SharedLock;
using futon::WaitResult;
using futon::test::error_of;
using futon::test::not_held;
using futon::test::open_modes;
using futon::test::until_upgrade_waits;
using futon::test::until_waiting;
using futon::test::waiting_at;

TEST(SharedLock, EachModeExcludesWhatItSays) {
    for (const auto fairness : {futon::Fairness::strict, futon::Fairness::bounded}) {
        SharedLock lock(fairness);
        EXPECT_EQ(open_modes(lock), "sux");
        lock.lock_shared();
        lock.lock_shared();
        EXPECT_EQ(open_modes(lock), "su");
        lock.lock_upgradeable();
        EXPECT_EQ(open_modes(lock), "s");
        lock.unlock_shared();
        lock.unlock_shared();
        EXPECT_EQ(open_modes(lock), "s");
        lock.upgrade();
        EXPECT_EQ(open_modes(lock), "");
        lock.unlock();
        lock.lock();
        EXPECT_EQ(open_modes(lock), "");
        lock.unlock();
        EXPECT_EQ(open_modes(lock), "sux");
    }
}

TEST(SharedLock, ADowngradeLeavesTheWeakerMode) {
    SharedLock lock;
    lock.lock();
    lock.downgrade_to_upgradeable();
    EXPECT_EQ(open_modes(lock), "s");
    lock.upgrade();
    lock.downgrade();
    EXPECT_EQ(open_modes(lock), "su");
    lock.unlock_shared();
    lock.lock_upgradeable();
    lock.downgrade_upgradeable();
    EXPECT_EQ(open_modes(lock), "su");
    lock.unlock_shared();
    EXPECT_EQ(open_modes(lock), "sux");
}

TEST(SharedLock, IsAStandardSharedTimedLockable) {
    SharedLock lock;
    {
        std::shared_lock first(lock);
        std::shared_lock second(lock, std::try_to_lock);
        EXPECT_TRUE(second.owns_lock());
        std::unique_lock writer(lock, 0ms);
        EXPECT_FALSE(writer.owns_lock());
        EXPECT_FALSE(lock.try_lock_until(std::chrono::system_clock::now()));
        std::shared_lock third(lock, std::chrono::steady_clock::now());
        EXPECT_TRUE(third.owns_lock());
    }
    {
        std::unique_lock writer(lock, std::chrono::system_clock::now() + 10s);
        EXPECT_TRUE(writer.owns_lock());
        std::shared_lock reader(lock, 0ms);
        EXPECT_FALSE(reader.owns_lock());
        EXPECT_FALSE(lock.try_lock_shared_until(std::chrono::system_clock::now()));
    }
    {
        std::lock_guard writer(lock);
        EXPECT_EQ(open_modes(lock), "");
    }
    {
        SharedLock other;
        std::scoped_lock both(lock, other);
        EXPECT_EQ(open_modes(other), "");
    }
    EXPECT_TRUE(lock.try_lock_upgradeable_for(0ms));
    EXPECT_TRUE(lock.try_upgrade_until(futon::Deadline(0ms)));
    lock.unlock();
    EXPECT_EQ(open_modes(lock), "sux");
}

TEST(SharedLock, IsFreeAsZeroAndLivesInABuffer) {
    futon::SharedArrayBuffer buffer(16);
    auto& lock = SharedLock::at(buffer, 8);
    lock.lock_shared();
    EXPECT_EQ(open_modes(SharedLock::at(buffer, 8)), "su");
    lock.unlock_shared();
    EXPECT_EQ(open_modes(SharedLock::at(buffer, 0)), "sux");
    EXPECT_THROW(SharedLock::at(buffer, 4), std::out_of_range);
    EXPECT_THROW(SharedLock::at(buffer, 16), std::out_of_range);
}

TEST(SharedLock, UnlockOfWhatIsNotHeldThrowsAndChangesNothing) {
    for (const auto fairness : {futon::Fairness::strict, futon::Fairness::bounded}) {
        SharedLock lock(fairness);
        const auto expect_refused = [&](auto... functions) {
            const std::string before = open_modes(lock);
            for (auto function : {functions...}) EXPECT_EQ(error_of([&] { (lock.*function)(); }), not_held);
            EXPECT_EQ(open_modes(lock), before);
        };
        const auto unlock = &SharedLock::unlock;
        const auto unlock_shared = &SharedLock::unlock_shared;
        const auto unlock_upgradeable = &SharedLock::unlock_upgradeable;
        const auto downgrade = &SharedLock::downgrade;
        const auto downgrade_to_upgradeable = &SharedLock::downgrade_to_upgradeable;
        const auto downgrade_upgradeable = &SharedLock::downgrade_upgradeable;
        expect_refused(unlock, unlock_shared, unlock_upgradeable, downgrade, downgrade_to_upgradeable,
                       downgrade_upgradeable);
        lock.lock_shared();
        expect_refused(unlock, unlock_upgradeable, downgrade, downgrade_to_upgradeable, downgrade_upgradeable);
        lock.unlock_shared();
        lock.lock_upgradeable();
        expect_refused(unlock, unlock_shared, downgrade, downgrade_to_upgradeable);
        lock.unlock_upgradeable();
        lock.lock();
        expect_refused(unlock_shared, unlock_upgradeable, downgrade_upgradeable);
        lock.unlock();
    }
}

TEST(SharedLock, AnUpgradeOfOneThatDoesNotHoldItThrows) {
    EventLoop loop(futon::CanBlock::yes);
    SharedLock lock;
    EXPECT_EQ(error_of([&] { lock.upgrade(); }), not_held);
    lock.lock_shared();
    EXPECT_EQ(error_of([&] { (void)lock.try_upgrade(); }), not_held);
    EXPECT_EQ(error_of([&] { (void)lock.upgrade_async(); }), not_held);
    lock.lock_upgradeable();
    auto upgrade = futon::promise_of(lock.upgrading());
    EXPECT_EQ(error_of([&] { (void)lock.upgrading(); }), not_held);  // two at once
    lock.unlock_shared();
    EXPECT_EQ(loop.run_until(upgrade), WaitResult::ok);
    EXPECT_EQ(error_of([&] { lock.upgrade(); }), not_held);
    lock.unlock();
    EXPECT_EQ(open_modes(lock), "sux");
}

TEST(SharedLock, OneReaderTooManyIsRefused) {
    EventLoop loop(futon::CanBlock::yes);
    futon::SharedArrayBuffer buffer(8);
    auto& lock = SharedLock::at(buffer);
    const std::uint64_t readers = SharedLock::max_shared() - 2;  // as so many would leave it
    std::memcpy(buffer.data(), &readers, sizeof readers);
    lock.lock_shared();
    lock.lock_shared();
    EXPECT_FALSE(lock.try_lock_shared());
    EXPECT_EQ(error_of([&] { lock.lock_shared(); }), std::errc::resource_unavailable_try_again);
    EXPECT_EQ(error_of([&] { (void)lock.locking_shared(); }), std::errc::resource_unavailable_try_again);
    EXPECT_EQ(error_of([&] { (void)lock.lock_shared(0ms); }), std::errc::resource_unavailable_try_again);
    lock.unlock_shared();
    auto last = lock.locking_shared();
    lock.lock_shared();
    auto waiting = futon::promise_of(std::move(last));  // made while there was room
    EXPECT_EQ(waiting_at(lock), 1U);
    lock.unlock_shared();
    EXPECT_TRUE(loop.run_until(std::move(waiting)).owns_lock());
    EXPECT_EQ(open_modes(lock), "su");
    std::uint64_t left = 0;
    std::memcpy(&left, buffer.data(), sizeof left);
    EXPECT_EQ(left, SharedLock::max_shared() - 1);
}

TEST(SharedLock, NoReaderWaitsForAWriterThatSpinsAndHasLostItsProcessor) {
    EventLoop loop(futon::CanBlock::yes);
    futon::SharedArrayBuffer buffer(8);
    auto& lock = SharedLock::at(buffer);
    const auto is_awaited = [&] {  // as the writer leaves it, beside one reader
        const std::uint64_t word = futon::detail::SharedLockState::awaited | 1U;
        std::memcpy(buffer.data(), &word, sizeof word);
    };
    const auto word = [&] {
        std::uint64_t found = 0;
        std::memcpy(&found, buffer.data(), sizeof found);
        return found;
    };

    is_awaited();
    ASSERT_EQ(lock.lock_shared(0ms), WaitResult::ok);
    EXPECT_EQ(word(), 2U) << "it has spun in vain, and the next one need not";
    lock.unlock_shared();
    is_awaited();
    lock.lock_shared();
    lock.unlock_shared();
    is_awaited();
    ASSERT_TRUE(lock.try_lock_shared());
    lock.unlock_shared();
    is_awaited();
    ASSERT_TRUE(lock.try_lock_upgradeable());
    lock.unlock_upgradeable();
    is_awaited();
    EXPECT_EQ(lock.lock_upgradeable(0ms), WaitResult::ok);
    lock.unlock_upgradeable();
    is_awaited();
    auto waiting = futon::promise_of(lock.locking_shared());
    EXPECT_TRUE(loop.run_until(std::move(waiting)).owns_lock());
    is_awaited();
    EXPECT_EQ(lock.lock(0ms), WaitResult::timed_out);
    EXPECT_EQ(open_modes(lock), "su");
    lock.unlock_shared();
    EXPECT_EQ(open_modes(lock), "sux");
    const std::uint64_t left_awaited = futon::detail::SharedLockState::awaited;
    std::memcpy(buffer.data(), &left_awaited, sizeof left_awaited);
    lock.lock();
    EXPECT_EQ(word(), futon::detail::SharedLockState::exclusive);
    lock.unlock();

    lock.lock_shared();
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(lock.lock(1us), WaitResult::timed_out);
        EXPECT_EQ(word(), 1U) << "a writer that no longer spins asks no one to wait";
    }
    is_awaited();
    lock.unlock_shared();
    EXPECT_EQ(error_of([&] { lock.unlock_shared(); }), not_held);
    EXPECT_EQ(open_modes(lock), "sux");
}

TEST(SharedLock, AnAgentThatMayNotBlockIsRefusedAlsoWhereNothingIsToBeWaitedFor) {
    EventLoop loop;
    SharedLock lock;
    EXPECT_THROW(lock.lock(), futon::BlockingForbidden);
    EXPECT_THROW(lock.lock_shared(), futon::BlockingForbidden);
    EXPECT_THROW(lock.lock_upgradeable(), futon::BlockingForbidden);
    EXPECT_THROW((void)lock.scoped_lock_shared(0ms), futon::BlockingForbidden);
    EXPECT_THROW(lock.upgrade(), futon::BlockingForbidden);  // before the misuse is seen
    EXPECT_EQ(open_modes(lock), "sux");
    ASSERT_TRUE(lock.try_lock_upgradeable());
    SharedLock::UpgradeableGuard guard(lock, std::adopt_lock);
    EXPECT_THROW((void)guard.upgrade(), futon::BlockingForbidden);
    EXPECT_TRUE(guard.owns_lock());
    EXPECT_TRUE(guard.try_upgrade().owns_lock());
}

TEST(SharedLock, WhatIsReadyBeatsADeadlineAndAStopThatHaveCome) {
    std::stop_source stopped;
    stopped.request_stop();
    const std::stop_token stop = stopped.get_token();
    SharedLock lock;
    EXPECT_EQ(lock.lock_shared({0ms, stop}), WaitResult::ok);
    EXPECT_EQ(lock.lock_shared(stop), WaitResult::ok);
    EXPECT_EQ(lock.lock(0ms), WaitResult::timed_out);
    EXPECT_EQ(lock.lock(stop), WaitResult::cancelled);
    lock.unlock_shared();
    EXPECT_EQ(lock.lock_upgradeable({0ms, stop}), WaitResult::ok);
    EXPECT_EQ(lock.lock_upgradeable(0ms), WaitResult::timed_out);
    EXPECT_EQ(lock.lock_upgradeable(stop), WaitResult::cancelled);
    EXPECT_EQ(lock.upgrade(0ms), WaitResult::timed_out);
    EXPECT_EQ(lock.upgrade(stop), WaitResult::cancelled);
    lock.unlock_shared();
    EXPECT_EQ(lock.upgrade({0ms, stop}), WaitResult::ok);
    EXPECT_EQ(lock.lock_shared(0ms), WaitResult::timed_out);
    EXPECT_EQ(lock.lock_shared(stop), WaitResult::cancelled);
    lock.unlock();
    EXPECT_EQ(lock.lock({0ms, stop}), WaitResult::ok);
    lock.unlock();
}

TEST(SharedLock, GuardsTurnIntoEachOther) {
    SharedLock lock;
    auto upgradeable = lock.scoped_lock_upgradeable();
    auto reader = lock.scoped_lock_shared();
    {
        const auto failed = upgradeable.upgrade(0ms);
        EXPECT_FALSE(failed);
        EXPECT_EQ(failed.result(), WaitResult::timed_out);
    }
    EXPECT_TRUE(upgradeable.owns_lock());
    EXPECT_FALSE(upgradeable.try_upgrade().owns_lock());
    EXPECT_EQ(open_modes(lock), "s");
    reader.unlock();
    auto writer = upgradeable.upgrade();
    EXPECT_FALSE(upgradeable.owns_lock());
    EXPECT_EQ(open_modes(lock), "");
    upgradeable = writer.downgrade_to_upgradeable();
    EXPECT_FALSE(writer.owns_lock());
    EXPECT_EQ(open_modes(lock), "s");
    reader = upgradeable.downgrade();
    EXPECT_EQ(open_modes(lock), "su");
    reader = lock.scoped_lock_shared();  // the one before is unlocked
    reader.unlock();
    writer = lock.scoped_lock();
    reader = writer.downgrade();
    EXPECT_EQ(open_modes(lock), "su");
    EXPECT_EQ(reader.release(), &lock);
    lock.unlock_shared();
    EXPECT_EQ(error_of([&] { writer.unlock(); }), not_held);
    EXPECT_EQ(error_of([&] { (void)writer.downgrade(); }), not_held);
    EXPECT_EQ(error_of([&] { (void)upgradeable.upgrade(); }), not_held);
    EXPECT_EQ(open_modes(lock), "sux");
}

TEST(SharedLock, ReadersThatFollowEachOtherInTheQueueAreServedTogether) {
    for (const auto fairness : {futon::Fairness::strict, futon::Fairness::bounded}) {
        SharedLock lock(fairness);
        lock.lock();
        std::atomic<int> together{0};
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < 4; ++i) {
            threads.emplace_back([&] {
                std::shared_lock hold(lock);
                ++together;
                futon::test::until([&] { return together == 4; });
            });
            until_waiting(lock, i + 1);
        }
        lock.unlock();
    }
}

TEST(SharedLock, NewReadersDoNotOvertakeAWriterForEver) {
    SharedLock lock;
    lock.lock_shared();
    std::jthread writer([&] {
        lock.lock();
        lock.unlock();
    });
    until_waiting(lock, 1);
    futon::test::until_handoff_is_due();
    for (int i = 0; i < 8 && lock.try_lock_shared(); ++i) lock.unlock_shared();
    EXPECT_FALSE(lock.try_lock_shared());
    EXPECT_EQ(lock.lock_shared(0ms), WaitResult::timed_out);
    lock.unlock_shared();
    writer.join();
    EXPECT_EQ(open_modes(lock), "sux");
}

TEST(SharedLock, OfAStrictOneNoCallerOvertakesTheQueue) {
    SharedLock lock(futon::Fairness::strict);
    lock.lock_shared();
    std::jthread writer([&] { std::unique_lock hold(lock); });
    until_waiting(lock, 1);
    EXPECT_FALSE(lock.try_lock_shared());
    lock.unlock_shared();
    writer.join();
    EXPECT_EQ(open_modes(lock), "sux");
}

TEST(SharedLock, AnUpgradeKeepsNewReadersOutWhileItWaits) {
    SharedLock lock;
    lock.lock_shared();
    lock.lock_upgradeable();
    std::stop_source stop;
    std::jthread upgrader([&] { EXPECT_EQ(lock.upgrade(stop.get_token()), WaitResult::cancelled); });
    until_upgrade_waits(lock);
    std::jthread reader([&] { std::shared_lock hold(lock); });
    until_waiting(lock, 1);
    stop.request_stop();
    reader.join();  // beside the upgradeable lock, which the upgrade has kept
    upgrader.join();
    EXPECT_EQ(open_modes(lock), "s");
    lock.unlock_shared();
    EXPECT_TRUE(lock.try_upgrade());
    lock.unlock();
}

TEST(SharedLock, ADowngradeServesTheReadersThatWait) {
    SharedLock lock;
    lock.lock();
    std::jthread reader([&] { std::shared_lock hold(lock); });
    until_waiting(lock, 1);
    lock.downgrade();
    reader.join();
    lock.unlock_shared();
    EXPECT_EQ(open_modes(lock), "sux");
}

TEST(SharedLock, TheNextOwnerMayDestroyIt) {
    for (int i = 0; i < 200; ++i) {
        auto lock = std::make_unique<SharedLock>();
        lock->lock_shared();
        lock->lock_upgradeable();
        std::jthread reader([&lock = *lock] { lock.unlock_shared(); });
        lock->upgrade();
        lock.reset();
    }
}

}  // namespace
