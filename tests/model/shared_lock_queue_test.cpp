// SPDX-License-Identifier: MIT
// What those who pass by do while writers wait, and the first of them was woken and does not run. The clock stands still but where
// a test moves it.
#include <futon/futon.hpp>

#include "../support/lock_waiter.hpp"
#include "explore.hpp"

namespace {

using futon::SharedLock;
using futon::core::WakeToken;
using futon::explorer::check;
using futon::explorer::sleep_until;
using futon::explorer::virtual_now;
using futon::test::expect_holds;
using Writer = futon::test::WaiterForLock<SharedLock>;

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

}  // namespace
