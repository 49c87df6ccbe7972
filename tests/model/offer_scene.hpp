// SPDX-License-Identifier: MIT
#pragma once

#include <futon/explorer.hpp>
#include <futon/futon.hpp>

namespace futon::test {

/// A lock that is held at the beginning, and the loop of the main fiber, which does not run before all others have ended. Functions of
/// that loop are the first in the lock's queue.
struct OfferScene {
    explicit OfferScene(Fairness fairness, int functions = 1) : lock(fairness) {
        lock.lock();
        for (int i = 0; i < functions; ++i) lock.execute_locked([&] { enter(); });
    }

    void enter() {
        explorer::check(inside++ == 0, "one at a time");
        sum.store(sum.load() + 1);
        explorer::point("inside", this);
        --inside;
        ++entered;
    }

    void take() {
        lock.lock();
        enter();
        lock.unlock();
    }

    void finish(int expected) {
        explorer::join();
        loop.run();
        explorer::check(entered == expected, "each has entered");
        explorer::check(lock.try_lock(), "the lock is free in the end");
        lock.unlock();
        explorer::check(lock.try_lock(), "the lock is free in the end");
        explorer::check(core::process_table().count(&lock) == 0, "no waiter is queued");
    }

    EventLoop loop{CanBlock::yes};
    AsyncLock lock;
    explorer::Shared sum;
    int inside = 0;
    int entered = 0;
};

}  // namespace futon::test
