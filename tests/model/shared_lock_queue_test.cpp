// SPDX-License-Identifier: MIT
// What those who pass by do while writers wait, and the first of them was woken and does not run. The clock stands still but where
// a test moves it.
#include <chrono>
#include <cstring>

#include <futon/futon.hpp>

#include "../support/lock_waiter.hpp"
#include "explore.hpp"

namespace {

using namespace std::chrono_literals;
using futon::SharedLock;
using futon::core::WakeToken;
using futon::explorer::check;
using futon::explorer::sleep_until;
using futon::explorer::virtual_now;
using futon::test::expect_holds;
using Writer = futon::test::WaiterForLock<SharedLock>;

/// A lock's readers, for waiters that a test moves by hand.
struct Readers {
    using Locking = SharedLock::LockingShared;
    Locking locking() const { return lock.locking_shared(); }

    SharedLock& lock;
};
using Reader = futon::test::WaiterForLock<Readers>;

constexpr auto longer_than_a_wake = 150us;
constexpr int enough = 16;  // releases: one of them asks the clock

constexpr futon::explorer::Options beside_the_keeper{.preemptions = 1};

struct LateWriter {
    LateWriter() {
        lock.lock_shared();
        check(late.enqueue() && next.enqueue(), "both wait for the reader");
        lock.unlock_shared();
        check(late.given() == WakeToken::none && !next.given(), "the first is woken");
    }

    SharedLock lock;
    Writer late{lock, Writer::Kind::thread};
    Writer next{lock, Writer::Kind::thread};
};

/// Whether the next is handed the lock once that is due, after at most so many times that others take the lock and release it.
template <class Take, class Release>
void expect_handed_off(const char* name, int most, Take take, Release release) {
    expect_holds(name, beside_the_keeper, [=] {
        LateWriter scene;
        sleep_until("two thresholds", virtual_now() + 2 * SharedLock::handoff_threshold);
        for (int times = 0; times < most && !scene.next.given(); ++times) {
            check(take(scene.lock), "it is there for those who pass by");
            release(scene.lock);
        }
        check(scene.next.given() == WakeToken::handed_off, "[woken] the next is handed the lock");
        check(!scene.lock.try_lock_shared(), "it is the writer's");
    });
}

TEST(ModelSharedLockQueue, AnUnlockDoesNotRelyOnALateThreadForLong) {
    expect_handed_off(
        "readers pass by a late writer", 4, [](SharedLock& lock) { return lock.try_lock_shared(); },
        [](SharedLock& lock) { lock.unlock_shared(); });
    expect_handed_off(
        "writers pass by a late writer", 4, [](SharedLock& lock) { return lock.try_lock(); },
        [](SharedLock& lock) { lock.unlock(); });
    expect_handed_off(
        "upgradeable holders pass by a late writer", 4, [](SharedLock& lock) { return lock.try_lock_upgradeable(); },
        [](SharedLock& lock) { lock.unlock_upgradeable(); });
}

TEST(ModelSharedLockQueue, AFairUnlockDoesNotRelyOnALateThreadAtAll) {
    expect_handed_off(
        "a reader passes by a late writer, and unlocks fairly", 1,
        [](SharedLock& lock) { return lock.try_lock_shared(); }, [](SharedLock& lock) { lock.unlock_shared_fair(); });
    expect_handed_off(
        "a writer passes by a late writer, and unlocks fairly", 1, [](SharedLock& lock) { return lock.try_lock(); },
        [](SharedLock& lock) { lock.unlock_fair(); });
}

TEST(ModelSharedLockQueue, WhoPassesByTakesWhatTheModesAllow) {
    expect_holds("a reader beside a late writer", beside_the_keeper, [] {
        LateWriter scene;
        check(scene.lock.try_lock_shared() && scene.lock.try_lock_upgradeable(), "readers share it");
        check(!scene.lock.try_lock() && !scene.lock.try_lock_upgradeable(), "others do not");
        scene.lock.unlock_upgradeable();
        check(!scene.lock.try_lock(), "a reader is left");
        scene.lock.unlock_shared();
        check(scene.lock.try_lock(), "no reader is left");
        check(!scene.lock.try_lock_shared(), "a writer is alone");
        scene.lock.unlock();
        check(!scene.next.given(), "the thread that was woken will look after the next");
    });
}

/// Whether a reader behind the late writer is woken, which is so once a few others have passed by, if at all.
bool wakes_reader_behind(std::chrono::nanoseconds after, bool is_by_writers) {
    SharedLock lock;
    Writer late(lock, Writer::Kind::thread);
    Readers readers{lock};
    Reader reader(readers, Reader::Kind::thread);
    lock.lock();
    check(late.enqueue() && reader.enqueue(), "both wait for the writer");
    lock.unlock();
    check(late.given() == WakeToken::none && !reader.given(), "the first is woken, which wants to be alone");
    sleep_until("the writer may be late", virtual_now() + after);
    for (int times = 0; times < enough; ++times) {
        if (is_by_writers) {
            check(lock.try_lock(), "it is there for those who pass by");
            lock.unlock();
        } else {
            check(lock.try_lock_shared(), "it is there for those who pass by");
            lock.unlock_shared();
        }
    }
    check(!reader.given() || reader.given() == WakeToken::none, "no handoff is due");
    return reader.given().has_value();
}

TEST(ModelSharedLockQueue, ALateWriterHoldsBackAReaderForNoLongerThanAWakeTakes) {
    for (const auto since : {0us, 70us, 140us, 210us})  // the word says when it was woken, modulo 260 µs
        expect_holds("a reader behind a late writer, readers that pass by", beside_the_keeper, [=] {
            sleep_until("a while", virtual_now() + since);
            check(!wakes_reader_behind(0us, false), "[woken] the writer is not late yet");
            check(wakes_reader_behind(longer_than_a_wake, false), "the reader can have it beside others");
        });
}

TEST(ModelSharedLockQueue, ALateWriterIsWaitedForByThoseWhoWantTheLockAlone) {
    expect_holds("a reader behind a late writer, writers that pass by", beside_the_keeper, [] {
        check(!wakes_reader_behind(longer_than_a_wake, true), "[woken] who comes takes it, or the woken one");
    });
}

TEST(ModelSharedLockQueue, ReadersThatOverlapKeepOutNoWriterForLong) {
    expect_holds("a late writer, one behind it, readers that overlap", beside_the_keeper, [] {
        LateWriter scene;
        check(scene.lock.try_lock_shared(), "a reader passes by, and stays");
        sleep_until("two thresholds", virtual_now() + 2 * SharedLock::handoff_threshold);
        int times = 0;
        for (; times < enough && scene.lock.try_lock_shared(); ++times) scene.lock.unlock_shared();
        check(times < enough, "[fifo] the lock is kept for the writer");
        scene.lock.unlock_shared();
        check(scene.next.given() == WakeToken::handed_off, "the writer is handed the lock");
    });
}

TEST(ModelSharedLockQueue, TheWordIsAsItWasOnceNoOneWaits) {
    expect_holds("a writer and a reader that are woken late", {.preemptions = 2}, [] {
        SharedLock lock;
        lock.lock();
        futon::explorer::spawn("writer", [&] {
            lock.lock();
            lock.unlock();
        });
        futon::explorer::spawn("reader", [&] {
            lock.lock_shared();
            lock.unlock_shared();
        });
        sleep_until("a while", virtual_now() + longer_than_a_wake);
        lock.unlock();
        futon::explorer::join();
        const SharedLock untouched;
        check(std::memcmp(static_cast<const void*>(&lock), &untouched, sizeof lock) == 0,
              "[has-waiters] no bit is left");
    });
}

}  // namespace
