// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/shared_lock_modes.hpp"

// Upgrades and downgrades of what is not held, or not held any more.
namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::SharedLock;
using futon::WaitResult;
using futon::test::error_of;
using futon::test::not_held;
using futon::test::open_modes;
using futon::test::until_upgrade_waits;

TEST(SharedLockMisuse, AnUpgradeOfWhatIsNotHeldAnyMoreIsRefused) {
    SharedLock lock;
    lock.lock_upgradeable();
    auto late = lock.upgrading();
    lock.unlock_upgradeable();
    EXPECT_EQ(error_of([&] { (void)futon::core::block(std::move(late), 1ms); }), not_held);
    EXPECT_EQ(open_modes(lock), "sux");

    lock.lock_upgradeable();
    auto first = lock.upgrading();
    auto second = lock.upgrading();
    EXPECT_EQ(futon::core::block(std::move(first)), WaitResult::ok);
    EXPECT_EQ(error_of([&] { (void)futon::select(std::move(second), futon::timeout(1ms)); }), not_held);
    lock.unlock();
    EXPECT_EQ(open_modes(lock), "sux");
}

TEST(SharedLockMisuse, OfTwoUpgradesThatWouldWaitTheSecondIsRefused) {
    SharedLock lock;
    lock.lock_shared();
    lock.lock_upgradeable();
    auto first = lock.upgrading();
    auto second = lock.upgrading();
    std::jthread upgrade([&] { EXPECT_EQ(futon::core::block(std::move(first)), WaitResult::ok); });
    until_upgrade_waits(lock);
    EXPECT_EQ(error_of([&] { (void)futon::core::block(std::move(second), 1ms); }), not_held);
    EXPECT_FALSE(lock.try_lock_shared()) << "the first waits yet";
    lock.unlock_shared();
    upgrade.join();
    lock.unlock();
    EXPECT_EQ(open_modes(lock), "sux");
}

TEST(SharedLockMisuse, AnUpgradeWhoseHoldingEndsWhileItWaitsIsRefused) {
    SharedLock lock;
    lock.lock_shared();
    lock.lock_upgradeable();
    std::jthread upgrade([&] { EXPECT_EQ(error_of([&] { lock.upgrade(); }), not_held); });
    until_upgrade_waits(lock);
    lock.unlock_upgradeable();
    lock.unlock_shared();
    upgrade.join();
    EXPECT_EQ(open_modes(lock), "sux");
}

TEST(SharedLockMisuse, RoomIsKeptForTheDowngradeOfAnUpgradeable) {
    futon::SharedArrayBuffer buffer(8);
    auto& lock = SharedLock::at(buffer);
    const std::uint64_t readers = SharedLock::max_shared();  // as so many would leave it
    std::memcpy(buffer.data(), &readers, sizeof readers);
    EXPECT_FALSE(lock.try_lock_upgradeable());
    lock.unlock_shared();
    auto guard = lock.scoped_lock_upgradeable();
    EXPECT_FALSE(lock.try_lock_shared());
    EXPECT_EQ(error_of([&] { lock.lock_shared(); }), std::errc::resource_unavailable_try_again);
    {
        const auto reader = guard.downgrade();
        EXPECT_TRUE(reader.owns_lock());
        std::uint64_t left = 0;
        std::memcpy(&left, buffer.data(), sizeof left);
        EXPECT_EQ(left, SharedLock::max_shared());
        EXPECT_FALSE(lock.try_lock_upgradeable());
    }
    EXPECT_EQ(open_modes(lock), "su");
}

TEST(SharedLockMisuse, AReaderThatWaitsForRoomIsServedByARelease) {
    EventLoop loop(futon::CanBlock::yes);
    futon::SharedArrayBuffer buffer(8);
    auto& lock = SharedLock::at(buffer);
    const std::uint64_t readers = SharedLock::max_shared() - 2;  // as so many would leave it
    std::memcpy(buffer.data(), &readers, sizeof readers);
    auto guard = lock.scoped_lock_upgradeable();
    auto last = lock.locking_shared();
    lock.lock_shared();
    auto waiting = futon::promise_of(std::move(last));  // made while there was room
    EXPECT_EQ(futon::core::process_table().count(&lock), 1U);
    lock.unlock_shared();
    EXPECT_TRUE(loop.run_until(std::move(waiting)).owns_lock());
}

}  // namespace
