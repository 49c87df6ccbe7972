// SPDX-License-Identifier: MIT
#include <futon/sync/shared_lock.hpp>

#include <futon/futon.hpp>

#include "explore.hpp"
#include "shared_lock_scene.hpp"

#ifdef FUTON_MODEL_SPINS
#define ModelSharedLock ModelSpinningSharedLock  // the same tests in a program where threads spin before they sleep
#endif

namespace {

using namespace std::chrono_literals;
using futon::Fairness;
using futon::SharedLock;
using futon::WaitResult;
using futon::explorer::check;
using futon::explorer::spawn;
using futon::test::check_idle;
using futon::test::expect_holds;
using futon::test::Holders;
using futon::test::read;
using futon::test::write;

TEST(ModelSharedLock, ReadersAndAWriterExcludeEachOther) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("two readers, a writer", {.preemptions = 3, .clock_leaps = 1}, [fairness] {
            SharedLock lock(fairness);
            Holders holders;
            spawn("A", [&] { read(lock, holders); });
            spawn("B", [&] { read(lock, holders); });
            spawn("writer", [&] { write(lock, holders); });
            futon::explorer::join();
            check_idle(lock);
        });
}

TEST(ModelSharedLock, AnUnlockServesAReaderAndAWriter) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a writer that unlocks, a reader, a writer", {.preemptions = 3, .clock_leaps = 1}, [fairness] {
            SharedLock lock(fairness);
            Holders holders;
            lock.lock();
            spawn("reader", [&] { read(lock, holders); });
            spawn("writer", [&] { write(lock, holders); });
            lock.unlock();
            futon::explorer::join();
            check_idle(lock);
        });
}

TEST(ModelSharedLock, AWriterThatGivesUpHoldsBackNoReader) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a writer with a deadline, readers", {.preemptions = 3, .clock_leaps = 2}, [fairness] {
            SharedLock lock(fairness);
            lock.lock_shared();
            spawn("writer", [&] { check(lock.lock(1us) == WaitResult::timed_out, "a reader stays"); });
            spawn("reader", [&] {
                lock.lock_shared();
                lock.unlock_shared();
            });
            futon::explorer::join();
            lock.unlock_shared();
            check_idle(lock);
        });
}

TEST(ModelSharedLock, AWriterThatSpinsKeepsNoReaderOut) {
    expect_holds("a reader that stays, a reader, a writer", {.preemptions = 3}, [] {
        SharedLock lock;
        futon::Event has_read;
        lock.lock();
        spawn("reader", [&] {
            lock.lock_shared();
            has_read.set();
            lock.unlock_shared();
        });
        lock.downgrade();
        spawn("writer", [&] {
            lock.lock();
            lock.unlock();
        });
        has_read.wait();
        lock.unlock_shared();
        futon::explorer::join();
        check_idle(lock);
    });
}

TEST(ModelSharedLock, AnUpgradeWaitsForTheReadersAndNoWriterComesBetween) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("an upgrade, a reader, a writer", {.preemptions = 3, .clock_leaps = 1}, [fairness] {
            SharedLock lock(fairness);
            Holders holders;
            int value = 0;
            spawn("upgrader", [&] {
                lock.lock_upgradeable();
                const int seen = value;
                lock.upgrade();
                holders.writes();
                check(value == seen, "no writer came between");
                holders.has_written();
                lock.unlock();
            });
            spawn("reader", [&] { read(lock, holders); });
            spawn("writer", [&] {
                lock.lock();
                ++value;
                lock.unlock();
            });
            futon::explorer::join();
            check_idle(lock);
        });
}

TEST(ModelSharedLock, TheLastOfTwoReadersServesTheUpgrade) {
    expect_holds("an upgrade, two readers that leave", {.preemptions = 3, .clock_leaps = 1}, [] {
        SharedLock lock;
        Holders holders;
        lock.lock_shared();
        lock.lock_shared();
        lock.lock_upgradeable();
        spawn("A", [&] { lock.unlock_shared(); });
        spawn("B", [&] {
            lock.unlock_shared();
            read(lock, holders);
        });
        lock.upgrade();
        holders.writes();
        holders.has_written();
        lock.unlock();
        futon::explorer::join();
        check_idle(lock);
    });
}

TEST(ModelSharedLock, AnUpgradeThatFailsKeepsTheLockAndReadersGoOn) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("an upgrade with a deadline, two readers", {.preemptions = 3, .clock_leaps = 1}, [fairness] {
            SharedLock lock(fairness);
            Holders holders;
            lock.lock_shared();
            spawn("upgrader", [&] {
                lock.lock_upgradeable();
                if (lock.upgrade(1us) == WaitResult::ok) {
                    holders.writes();
                    holders.has_written();
                    lock.unlock();
                } else {
                    check(!lock.try_lock_upgradeable(), "it is kept");
                    lock.unlock_upgradeable();
                }
            });
            spawn("reader", [&] { read(lock, holders); });
            spawn("leaver", [&] { lock.unlock_shared(); });
            futon::explorer::join();
            check_idle(lock);
        });
}

TEST(ModelSharedLock, AnUpgradeThatFailsWakesTheReadersThatItKeptOut) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("an upgrade that fails, a reader", {.preemptions = 3, .clock_leaps = 1}, [fairness] {
            SharedLock lock(fairness);
            Holders holders;
            lock.lock_shared();
            lock.lock_upgradeable();
            spawn("reader", [&] { read(lock, holders); });
            check(lock.upgrade(1us) == WaitResult::timed_out, "a reader stays");
            futon::explorer::join();  // while it is held upgradeable
            lock.unlock_upgradeable();
            lock.unlock_shared();
            check_idle(lock);
        });
}

TEST(ModelSharedLock, ReadersDoNotWaitForAnUpgradeOfALoopThatDoesNotRun) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("an upgrade of a loop, two readers", {.preemptions = 3, .clock_leaps = 2}, [fairness] {
            SharedLock lock(fairness);
            Holders holders;
            futon::EventLoop loop(futon::CanBlock::yes);
            lock.lock_upgradeable();
            lock.lock_shared();
            auto promise = futon::promise_of(lock.upgrading());
            spawn("leaver", [&] { lock.unlock_shared(); });
            spawn("reader", [&] { read(lock, holders); });
            futon::explorer::join();
            check(loop.run_until(promise) == WaitResult::ok, "the task upgrades when it runs");
            holders.writes();
            holders.has_written();
            lock.unlock();
            check_idle(lock);
        });
}

TEST(ModelSharedLock, ALoopThatEndsGivesBackAnUpgrade) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a loop that ends, a leaver, a writer", {.preemptions = 2, .clock_leaps = 1}, [fairness] {
            SharedLock lock(fairness);
            Holders holders;
            lock.lock_shared();
            spawn("loop", [&] {
                futon::EventLoop loop;
                if (!lock.try_lock_upgradeable()) return;
                SharedLock::UpgradeableGuard held(lock, std::adopt_lock);
                auto promise = futon::promise_of(held.upgrading());
                loop.poll();
            });
            spawn("leaver", [&] { lock.unlock_shared(); });
            spawn("writer", [&] { write(lock, holders); });
            futon::explorer::join();
            check_idle(lock);
        });
}

TEST(ModelSharedLock, ADowngradeServesReaders) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a downgrade, two readers", {.preemptions = 3, .clock_leaps = 1}, [fairness] {
            SharedLock lock(fairness);
            Holders holders;
            lock.lock();
            holders.writes();
            for (const char* name : {"A", "B"})
                spawn(name, [&] {
                    lock.lock_shared();
                    holders.reads();
                    holders.has_read();
                    lock.unlock_shared();
                });
            holders.has_written();
            lock.downgrade();
            futon::explorer::join();  // while it is held shared
            lock.unlock_shared();
            check_idle(lock);
        });
}

TEST(ModelSharedLock, ATaskIsOfferedWhatItsModeAllows) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a writing task, a reading task, a reader", {.preemptions = 3, .clock_leaps = 2}, [fairness] {
            SharedLock lock(fairness);
            Holders holders;
            lock.lock();
            futon::EventLoop loop(futon::CanBlock::yes);
            const auto write_here = [&]() -> futon::Promise<void> {
                const auto guard = co_await lock.scoped_lock_async();
                holders.writes();
                holders.has_written();
            };
            const auto read_here = [&]() -> futon::Promise<void> {
                const auto guard = co_await lock.scoped_lock_shared_async();
                holders.reads();
                holders.has_read();
            };
            auto writer = write_here();
            auto reader = read_here();
            spawn("reader", [&] { read(lock, holders); });
            spawn("unlocker", [&] { lock.unlock(); });
            futon::explorer::join();
            loop.run_until(std::move(writer));
            loop.run_until(std::move(reader));
            check_idle(lock);
        });
}

TEST(ModelSharedLock, TheWriterMayDestroyItWhenTheReadersHaveLeft) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a lock that its last owner destroys", {.preemptions = 3, .clock_leaps = 1}, [fairness] {
            auto* lock = new SharedLock(fairness);
            lock->lock_shared();
            lock->lock_shared();
            lock->lock_upgradeable();
            spawn("A", [=] { lock->unlock_shared(); });
            spawn("B", [=] { lock->unlock_shared(); });
            spawn("upgrader", [=] {
                if (lock->upgrade(1us) == WaitResult::ok) {
                    lock->unlock();
                } else {
                    lock->unlock_upgradeable();
                    lock->lock();
                }
                delete lock;
            });
            futon::explorer::join();
        });
}

TEST(ModelSharedLock, AReaderSeesWhatAWriterWroteOnAWeakMemory) {
    expect_holds("a message by a lock, weak", {.preemptions = 2, .stale_loads = 1}, [] {
        SharedLock lock;
        futon::explorer::Shared message;
        spawn("writer", [&] {
            lock.lock();
            message.store(message.load() + 1);
            lock.unlock();
        });
        spawn("upgrader", [&] {
            lock.lock_upgradeable();
            const auto seen = message.load();
            lock.upgrade();
            check(message.load() == seen, "no writer came between");
            message.store(seen + 1);
            lock.downgrade();
            lock.unlock_shared();
        });
        spawn("reader", [&] {
            lock.lock_shared();
            const auto seen = message.load();
            check(message.load() == seen, "no writer beside a reader");
            lock.unlock_shared();
        });
        futon::explorer::join();
        check(message.load() == 2, "no write is lost");
    });
}

TEST(ModelSharedLock, ASelectOfAnUpgradeAndALockLosesNeither) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("a select of an upgrade and a lock", {.preemptions = 2}, [fairness] {
            SharedLock lock(fairness);
            SharedLock other(fairness);
            lock.lock_shared();
            lock.lock_upgradeable();
            other.lock();
            spawn("select", [&] {
                SharedLock::UpgradeableGuard held(lock, std::adopt_lock);
                (void)futon::select(held.upgrading(), other.locking());
            });
            spawn("leaver", [&] {
                lock.unlock_shared();
                other.unlock();
            });
            spawn("reader", [&] {
                lock.lock_shared();
                lock.unlock_shared();
            });
            futon::explorer::join();
            check_idle(lock);
            check_idle(other);
        });
}

TEST(ModelSharedLock, AllModesBesideEachOther) {
    for (const Fairness fairness : futon::test::fairnesses)
        expect_holds("an upgradeable, a reader, a downgrade", {.preemptions = 2, .clock_leaps = 1}, [fairness] {
            SharedLock lock(fairness);
            Holders holders;
            spawn("upgradeable", [&] {
                lock.lock_upgradeable();
                holders.reads();
                holders.pause();
                holders.has_read();
                lock.downgrade_upgradeable();
                lock.unlock_shared();
            });
            spawn("upgrader", [&] {
                lock.lock_upgradeable();
                lock.upgrade();
                holders.writes();
                holders.has_written();
                lock.downgrade_to_upgradeable();
                lock.unlock_upgradeable();
            });
            spawn("reader", [&] { read(lock, holders); });
            futon::explorer::join();
            check_idle(lock);
        });
}

}  // namespace
