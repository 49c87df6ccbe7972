// SPDX-License-Identifier: MIT
// Readers of a SharedLock that use slots: each mode excludes what it says, and each release finds its reader.
#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <thread>
#include <vector>

#include <futon/detail/sync/shared_lock_word.hpp>
#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/shared_lock_modes.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::SharedLock;
using futon::WaitResult;
using futon::test::error_of;
using futon::test::not_held;
using futon::test::open_modes;
using futon::test::until_waiting;
using Word = futon::detail::SharedLockWord;

Word& word_of_slots(SharedLock& lock) {
    return *std::launder(reinterpret_cast<Word*>(&lock));
}

/// From now on readers use slots, until a writer comes.
void let_readers_use_slots(SharedLock& lock) {
    lock.lock_shared();
    ASSERT_TRUE(word_of_slots(lock).prefer_slots());
    lock.unlock_shared();
}

bool uses_slots(SharedLock& lock) {
    return (word_of_slots(lock).state() & Word::biased) != 0;
}

std::uint32_t counted_readers(SharedLock& lock) {
    return word_of_slots(lock).state() & Word::readers;
}

class SharedLockSlots : public testing::TestWithParam<futon::Fairness> {
protected:
    SharedLock lock{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Fair, SharedLockSlots, testing::Values(futon::Fairness::bounded, futon::Fairness::strict));

TEST_P(SharedLockSlots, AReaderIsInASlotUntilAWriterCounts) {
    let_readers_use_slots(lock);
    lock.lock_shared();
    EXPECT_TRUE(uses_slots(lock));
    EXPECT_EQ(counted_readers(lock), 0U);
    EXPECT_FALSE(lock.try_lock());
    EXPECT_FALSE(uses_slots(lock));
    EXPECT_EQ(counted_readers(lock), 1U);
    lock.unlock_shared();
    EXPECT_EQ(open_modes(lock), "sux");
}

TEST_P(SharedLockSlots, TheSecondHoldOfAThreadIsCounted) {
    let_readers_use_slots(lock);
    lock.lock_shared();
    lock.lock_shared();
    EXPECT_EQ(counted_readers(lock), 1U);
    lock.unlock_shared();
    EXPECT_FALSE(lock.try_lock());
    lock.unlock_shared();
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

TEST_P(SharedLockSlots, OneThreadReadsThroughManyLocks) {
    std::vector<SharedLock> locks(20);
    for (SharedLock& each : locks) let_readers_use_slots(each);
    for (SharedLock& each : locks) each.lock_shared();
    for (SharedLock& each : locks) EXPECT_FALSE(each.try_lock());
    for (SharedLock& each : locks) each.unlock_shared();
    for (SharedLock& each : locks) EXPECT_EQ(open_modes(each), "sux");
}

TEST_P(SharedLockSlots, AnotherThreadMayUnlock) {
    let_readers_use_slots(lock);
    lock.lock_shared();
    std::jthread([&] { lock.unlock_shared(); }).join();
    EXPECT_EQ(open_modes(lock), "sux");
}

TEST_P(SharedLockSlots, AHoldOutlivesItsThread) {
    let_readers_use_slots(lock);
    std::jthread([&] { lock.lock_shared(); }).join();
    EXPECT_EQ(open_modes(lock), "su");
    lock.unlock_shared();
    EXPECT_EQ(open_modes(lock), "sux");
}

TEST_P(SharedLockSlots, UnlockOfWhatIsNotHeldThrows) {
    let_readers_use_slots(lock);
    EXPECT_EQ(error_of([&] { lock.unlock_shared(); }), not_held);
    let_readers_use_slots(lock);
    EXPECT_EQ(error_of([&] { lock.unlock_shared_fair(); }), not_held);
    EXPECT_EQ(error_of([&] { lock.unlock(); }), not_held);
    EXPECT_EQ(open_modes(lock), "sux");
}

TEST_P(SharedLockSlots, AWriterThatWaitsIsServedByAReaderThatLeaves) {
    let_readers_use_slots(lock);
    lock.lock_shared();
    std::jthread writer([&] { std::unique_lock hold(lock); });
    until_waiting(lock, 1);
    lock.unlock_shared();
    writer.join();
    EXPECT_EQ(open_modes(lock), "sux");
}

TEST_P(SharedLockSlots, UnlockFairHandsOff) {
    let_readers_use_slots(lock);
    lock.lock_shared();
    std::atomic<bool> has_written = false;
    std::jthread writer([&] {
        lock.lock();
        has_written = true;
        lock.unlock();
    });
    until_waiting(lock, 1);
    lock.unlock_shared_fair();
    if (lock.try_lock()) {
        EXPECT_TRUE(has_written) << "the writer holds it at once";
        lock.unlock();
    }
    writer.join();
    EXPECT_EQ(open_modes(lock), "sux");
}

TEST_P(SharedLockSlots, AWriterWithADeadlineLeavesReadersIn) {
    let_readers_use_slots(lock);
    lock.lock_shared();
    EXPECT_EQ(lock.lock(1ms), WaitResult::timed_out);
    EXPECT_TRUE(lock.try_lock_shared());
    lock.unlock_shared();
    lock.unlock_shared();
    EXPECT_EQ(open_modes(lock), "sux");
}

TEST_P(SharedLockSlots, AnUpgradeCountsTheReaders) {
    let_readers_use_slots(lock);
    lock.lock_upgradeable();
    EXPECT_TRUE(uses_slots(lock));
    lock.lock_shared();
    EXPECT_FALSE(lock.try_upgrade());
    EXPECT_EQ(counted_readers(lock), 1U);
    lock.unlock_shared();
    EXPECT_TRUE(lock.try_upgrade());
    lock.unlock();
    let_readers_use_slots(lock);
    lock.lock_upgradeable();
    lock.upgrade();  // without a reader
    lock.unlock();
    EXPECT_EQ(open_modes(lock), "sux");
}

TEST_P(SharedLockSlots, ATaskReadsBesideThreadsAndIsCounted) {
    futon::EventLoop loop(futon::CanBlock::yes);
    let_readers_use_slots(lock);
    lock.lock_shared();
    auto reading = futon::promise_of(lock.locking_shared());
    auto reader = loop.run_until(std::move(reading));
    EXPECT_TRUE(reader.owns_lock());
    EXPECT_EQ(counted_readers(lock), 1U);
    auto writing = futon::promise_of(lock.locking());
    until_waiting(lock, 1);
    lock.unlock_shared();
    reader.unlock();
    EXPECT_TRUE(loop.run_until(std::move(writing)).owns_lock());
    EXPECT_EQ(open_modes(lock), "sux");
}

TEST(SharedLockSlotsAutomatic, AFreeLockIsNotRefusedToAWriterWhoseTimeIsOver) {
    SharedLock lock;
    let_readers_use_slots(lock);
    EXPECT_EQ(lock.lock(0ms), WaitResult::ok);
    lock.unlock();
}

TEST(SharedLockSlotsAutomatic, ReadersThatMeetUseSlots) {
    SharedLock lock;
    lock.lock_shared();
    std::jthread other([&] {
        while (!uses_slots(lock)) std::shared_lock hold(lock);
    });
    other.join();
    EXPECT_EQ(open_modes(lock), "su");
    lock.unlock_shared();
    EXPECT_EQ(open_modes(lock), "sux");
}

TEST(SharedLockSlotsAutomatic, AWriterIsFollowedByAPause) {
    SharedLock lock;
    let_readers_use_slots(lock);
    const auto begun = std::chrono::steady_clock::now();
    lock.lock();
    lock.unlock();
    lock.lock_shared();
    while (!uses_slots(lock)) std::shared_lock hold(lock);
    EXPECT_GE(std::chrono::steady_clock::now() - begun, 100us);
    lock.unlock_shared();
    EXPECT_EQ(open_modes(lock), "sux");
}

}  // namespace
