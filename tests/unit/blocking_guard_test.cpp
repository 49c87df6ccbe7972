// SPDX-License-Identifier: MIT
#include <futon/agent.hpp>
#include <futon/errors.hpp>
#include <futon/sync/blocking_guard.hpp>

#include "support/gtest.hpp"

using futon::AsyncLock;
using futon::BlockingGuard;

TEST(BlockingGuard, OwnsTheLockUntilTheEndOfItsScope) {
    AsyncLock lock;

    {
        const BlockingGuard guard(lock);
        EXPECT_FALSE(lock.try_lock());
    }

    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

TEST(BlockingGuard, ThrowsWhereAnAgentMayNotBlockAndLeavesTheLockFree) {
    AsyncLock lock;
    futon::Agent agent(futon::CanBlock::no);

    EXPECT_THROW(BlockingGuard guard(lock), futon::BlockingForbidden);

    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}
