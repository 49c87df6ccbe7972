// SPDX-License-Identifier: MIT
// [slots] Readers that are not counted in the word of the lock: none is lost or counted twice, and no writer comes beside one.
#include <chrono>
#include <new>

#include <futon/detail/sync/shared_lock_word.hpp>
#include <futon/futon.hpp>
#include <futon/sync/shared_lock.hpp>

#include "explore.hpp"

#ifdef FUTON_MODEL_SPINS
#define ModelSharedLockSlots ModelSpinningSharedLockSlots  // in a program where threads spin before they sleep
#endif

namespace {

using namespace std::chrono_literals;
using futon::Fairness;
using futon::SharedLock;
using futon::WaitResult;
using futon::explorer::check;
using futon::explorer::spawn;
using futon::test::expect_holds;

futon::detail::SharedLockWord& word_of(SharedLock& lock) {
    return *std::launder(reinterpret_cast<futon::detail::SharedLockWord*>(&lock));
}

/// From now on readers use slots, until a writer comes.
void use_slots(SharedLock& lock) {
    lock.lock_shared();
    check(word_of(lock).prefer_slots(), "it is open to slots");
    lock.unlock_shared();
}

/// What a program sees of those that hold the lock.
class Inside {
public:
    void read_by(SharedLock& lock) {
        lock.lock_shared();
        read();
        lock.unlock_shared();
    }
    void read() {
        check(!is_written_, "no reader beside a writer");
        ++readers_;
        pause();
        --readers_;
    }
    void write_by(SharedLock& lock) {
        lock.lock();
        write();
        lock.unlock();
    }
    void write() {
        check(!is_written_ && readers_ == 0, "no writer beside others");
        is_written_ = true;
        pause();
        is_written_ = false;
    }

    // Of a reader that another fiber ends.
    void begin_reading() {
        check(!is_written_, "no reader beside a writer");
        ++readers_;
    }
    void end_reading() { --readers_; }

private:
    void pause() { (void)pause_.load(); }

    futon::core::Atomic<int> pause_{0};
    int readers_ = 0;
    bool is_written_ = false;
};

void check_free(SharedLock& lock) {
    check(futon::core::process_table().count(&lock) == 0, "no waiter is queued");
    check(lock.try_lock(), "it is free in the end");
    lock.unlock();
    check(lock.try_lock_shared(), "it is free in the end");
    lock.unlock_shared();
}

TEST(ModelSharedLockSlots, ReadersInSlotsAndAWriterExcludeEachOther) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("two readers in slots, a writer", {.preemptions = 3, .clock_leaps = 1}, [fairness] {
            SharedLock lock(fairness);
            Inside inside;
            use_slots(lock);
            spawn("A", [&] { inside.read_by(lock); });
            spawn("B", [&] { inside.read_by(lock); });
            spawn("writer", [&] { inside.write_by(lock); });
            futon::explorer::join();
            check_free(lock);
        });
}

TEST(ModelSharedLockSlots, TwoWritersRevokeAtTheSameTime) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a reader in a slot, two writers", {.preemptions = 3, .clock_leaps = 1}, [fairness] {
            SharedLock lock(fairness);
            Inside inside;
            use_slots(lock);
            spawn("reader", [&] { inside.read_by(lock); });
            spawn("A", [&] { inside.write_by(lock); });
            spawn("B", [&] {
                if (!lock.try_lock()) return;
                inside.write();
                lock.unlock();
            });
            futon::explorer::join();
            check_free(lock);
        });
}

TEST(ModelSharedLockSlots, ATryIsNotRefusedForARevocationThatAnotherHasNotEnded) {
    expect_holds("a revoker, a try", {}, [] {
        SharedLock lock;
        use_slots(lock);
        spawn("revoker", [&] { word_of(lock).revoke_slots(); });
        check(lock.try_lock(), "no owner has it");
        futon::explorer::join();
        lock.unlock();
        check_free(lock);
    });
}

TEST(ModelSharedLockSlots, ALateRevokerDoesNotEndALaterRevocation) {
    expect_holds("a late revoker, a writer, a reader that uses slots again", {.preemptions = 3}, [] {
        SharedLock lock;
        Inside inside;
        use_slots(lock);
        spawn("late", [&] { word_of(lock).revoke_slots(); });
        spawn("reader", [&] {
            word_of(lock).revoke_slots();
            lock.lock_shared();
            (void)word_of(lock).prefer_slots();
            lock.unlock_shared();
            inside.read_by(lock);
        });
        spawn("writer", [&] { inside.write_by(lock); });
        futon::explorer::join();
        check_free(lock);
    });
}

TEST(ModelSharedLockSlots, NoWriterEntersByALateRevokersEnd) {
    expect_holds("a late revoker, a reader in a slot, a try", {.preemptions = 3}, [] {
        SharedLock lock;
        use_slots(lock);
        spawn("late", [&] { word_of(lock).revoke_slots(); });
        word_of(lock).revoke_slots();
        lock.lock_shared();
        (void)word_of(lock).prefer_slots();
        lock.unlock_shared();
        lock.lock_shared();
        spawn("writer", [&] { check(!lock.try_lock(), "a reader has it"); });
        futon::explorer::join();
        lock.unlock_shared();
        check_free(lock);
    });
}

TEST(ModelSharedLockSlots, AnotherFiberEndsTheReading) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("readers that others end, a writer", {.preemptions = 3, .clock_leaps = 1}, [fairness] {
            SharedLock lock(fairness);
            Inside inside;
            use_slots(lock);
            lock.lock_shared();
            inside.begin_reading();
            spawn("A", [&] {
                inside.end_reading();
                lock.unlock_shared();
                inside.read_by(lock);
            });
            spawn("writer", [&] { inside.write_by(lock); });
            futon::explorer::join();
            check_free(lock);
        });
}

TEST(ModelSharedLockSlots, OfTwoReadersEachMayEndTheOthersReading) {
    expect_holds("two readers that end each other's reading, a writer", {.preemptions = 3, .clock_leaps = 1}, [] {
        SharedLock lock;
        Inside inside;
        use_slots(lock);
        lock.lock_shared();  // in a slot
        lock.lock_shared();  // counted
        inside.begin_reading();
        inside.begin_reading();
        for (const char* name : {"A", "B"})
            spawn(name, [&] {
                inside.end_reading();
                lock.unlock_shared();
            });
        spawn("writer", [&] { inside.write_by(lock); });
        futon::explorer::join();
        check_free(lock);
    });
}

TEST(ModelSharedLockSlots, AnUpgradeWaitsForReadersInSlots) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("an upgrade, two readers in slots", {.preemptions = 3, .clock_leaps = 1}, [fairness] {
            SharedLock lock(fairness);
            Inside inside;
            use_slots(lock);
            spawn("upgrader", [&] {
                lock.lock_upgradeable();
                inside.read();
                lock.upgrade();
                inside.write();
                lock.unlock();
            });
            spawn("A", [&] { inside.read_by(lock); });
            spawn("B", [&] { inside.read_by(lock); });
            futon::explorer::join();
            check_free(lock);
        });
}

TEST(ModelSharedLockSlots, AnUpgradeIsServedThoughItsLastReaderHasLetOthersUseSlots) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds(
            "an upgrade, a reader that opens the lock to slots", {.preemptions = 3, .clock_leaps = 1}, [fairness] {
                SharedLock lock(fairness);
                Inside inside;
                lock.lock_upgradeable();
                lock.lock_shared();
                inside.begin_reading();
                spawn("upgrader", [&] {
                    lock.upgrade();
                    inside.write();
                    lock.unlock();
                });
                (void)word_of(lock).prefer_slots();  // between the upgrade's last try and its place in the queue
                inside.end_reading();
                lock.unlock_shared();
                futon::explorer::join();
                check_free(lock);
            });
}

TEST(ModelSharedLockSlots, AWriterThatGivesUpHoldsBackNoReader) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a writer with a deadline, a reader in a slot", {.preemptions = 3, .clock_leaps = 2}, [fairness] {
            SharedLock lock(fairness);
            Inside inside;
            use_slots(lock);
            lock.lock_shared();
            spawn("writer", [&] { check(lock.lock(1us) == WaitResult::timed_out, "a reader stays"); });
            spawn("reader", [&] { inside.read_by(lock); });
            futon::explorer::join();
            lock.unlock_shared();
            check_free(lock);
        });
}

TEST(ModelSharedLockSlots, ATaskThatWritesGetsItBesideReadersInSlots) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a writing task, a reading task, a reader in a slot", {.preemptions = 2, .clock_leaps = 1},
                     [fairness] {
                         SharedLock lock(fairness);
                         Inside inside;
                         use_slots(lock);
                         futon::EventLoop loop(futon::CanBlock::yes);
                         spawn("reader", [&] { inside.read_by(lock); });
                         const auto write_here = [&]() -> futon::Promise<void> {
                             const auto guard = co_await lock.scoped_lock_async();
                             inside.write();
                         };
                         const auto read_here = [&]() -> futon::Promise<void> {
                             const auto guard = co_await lock.scoped_lock_shared_async();
                             inside.read();
                         };
                         auto reader = read_here();
                         auto writer = write_here();
                         loop.run_until(std::move(writer));
                         loop.run_until(std::move(reader));
                         futon::explorer::join();
                         check_free(lock);
                     });
}

TEST(ModelSharedLockSlots, TheWriterMayDestroyItWhenAReaderHasLeftItsSlot) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a lock that its last owner destroys", {.preemptions = 3, .clock_leaps = 1}, [fairness] {
            auto* lock = new SharedLock(fairness);
            use_slots(*lock);
            lock->lock_shared();
            spawn("writer", [lock] {
                lock->lock();
                delete lock;
            });
            lock->unlock_shared();
            futon::explorer::join();
        });
}

TEST(ModelSharedLockSlots, AReaderInASlotSeesWhatAWriterWroteOnAWeakMemory) {
    expect_holds("a message by a lock whose readers use slots, weak", {.preemptions = 2, .stale_loads = 2}, [] {
        SharedLock lock;
        futon::explorer::Shared message;
        use_slots(lock);
        spawn("writer", [&] {
            lock.lock();
            message.store(message.load() + 1);
            lock.unlock();
        });
        spawn("reader", [&] {
            lock.lock_shared();
            const auto seen = message.load();
            (void)word_of(lock).prefer_slots();
            check(message.load() == seen, "no writer beside a reader");
            lock.unlock_shared();
            lock.lock_shared();
            check(message.load() >= seen, "what was seen stays");
            lock.unlock_shared();
        });
        futon::explorer::join();
        lock.lock();
        check(message.load() == 1, "no write is lost");
        lock.unlock();
    });
}

}  // namespace
