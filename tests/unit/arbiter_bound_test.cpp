// SPDX-License-Identifier: MIT
// How long callers go past the first in the queue of a semaphore or of a reader-writer lock.
#include <thread>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using futon::Semaphore;
using futon::SharedLock;
using futon::test::until_waiting;

TEST(ArbiterBound, ReadersDoNotJoinReadersOnceAWriterHasWaitedForTheThreshold) {
    SharedLock lock;
    lock.lock_shared();
    std::jthread writer([&] {
        lock.lock();
        lock.unlock();
    });
    until_waiting(lock, 1);
    futon::test::until_handoff_is_due();
    EXPECT_FALSE(lock.try_lock_shared());
    lock.unlock_shared();
    writer.join();
    EXPECT_TRUE(lock.try_lock_shared());
    lock.unlock_shared();
}

TEST(ArbiterBound, ASmallRequestDoesNotPassABigOneThatHasWaitedForTheThreshold) {
    Semaphore semaphore(1);
    std::jthread big([&] { semaphore.acquire(2); });
    until_waiting(semaphore, 1);
    futon::test::until_handoff_is_due();
    EXPECT_FALSE(semaphore.try_acquire());
    semaphore.release();
    big.join();
    EXPECT_EQ(semaphore.available(), 0U);
}

}  // namespace
