// SPDX-License-Identifier: MIT
#include <optional>

#include <gtest/gtest.h>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/queue_executor.hpp"

namespace {

using futon::Agent;
using futon::AsyncLock;
using futon::test::OwnedCoroutine;
using futon::test::QueueExecutor;

TEST(OutlivedWaitDeathTest, ACoroutineThatIsDestroyedAfterItsAgentWhileAnExecutorKeepsItsWakeNamesTheRule) {
    const auto misuse = [] {
        QueueExecutor queue;
        std::optional<Agent> agent(std::in_place, queue);
        AsyncLock lock;
        lock.try_lock();
        const auto taking = [](AsyncLock& wanted) -> OwnedCoroutine {
            const AsyncLock::Guard guard = co_await wanted.scoped_lock_async();
        };
        OwnedCoroutine coroutine = taking(lock);
        lock.unlock();
        agent.reset();
        coroutine.destroy();
    };

    EXPECT_DEATH(misuse(), "broken rule: a wait must not be destroyed while its wake is on its way");
}

}  // namespace
