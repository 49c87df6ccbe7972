// SPDX-License-Identifier: MIT
// [upgrading] A release serves the upgrade that waits for its readers to leave, and no other.
#include <chrono>

#include <futon/futon.hpp>
#include <futon/sync/shared_lock.hpp>

#include "explore.hpp"

namespace {

using namespace std::chrono_literals;
using futon::SharedLock;
using futon::WaitResult;
using futon::explorer::check;
using futon::explorer::spawn;
using futon::test::expect_holds;

futon::Promise<void> read(SharedLock& lock) {
    const auto hold = co_await lock.scoped_lock_shared_async();
    check(false, "its loop never runs");
}

TEST(ModelSharedLock, AReleaseDoesNotServeALaterUpgradeThatAReaderHoldsBack) {
    expect_holds("a late release, two upgrades, a reader", {.preemptions = 3, .clock_leaps = 1}, [] {
        SharedLock lock;
        bool is_read = false;
        lock.lock_upgradeable();
        lock.lock_shared();
        spawn("leaver", [&] { lock.unlock_shared(); });  // may serve the second upgrade for the first
        spawn("reader", [&] {
            lock.lock_shared();
            is_read = true;
            futon::explorer::point("reads", &is_read);
            is_read = false;
            lock.unlock_shared();
        });
        if (lock.upgrade(1us) != WaitResult::ok) lock.upgrade();
        check(!is_read, "no reader beside the upgraded");
        lock.unlock();
        futon::explorer::join();
        check(lock.try_lock(), "it is free in the end");
    });
}

TEST(ModelSharedLock, AReaderThatNoOneWaitsForAnyMoreServesTheUpgrade) {
    for (const futon::Fairness fairness : futon::test::fairnesses)
        expect_holds("a loop that ends while it locks shared, an upgrade", {.preemptions = 2, .clock_leaps = 1},
                     [fairness] {
                         SharedLock lock(fairness);
                         lock.lock();
                         spawn("upgrader", [&] {
                             lock.lock_upgradeable();
                             lock.upgrade();
                             lock.unlock();
                         });
                         {
                             futon::EventLoop loop(futon::CanBlock::yes);
                             static_cast<void>(read(lock));
                             lock.unlock();
                         }
                         futon::explorer::join();
                         check(lock.try_lock(), "it is free in the end");
                     });
}

}  // namespace
