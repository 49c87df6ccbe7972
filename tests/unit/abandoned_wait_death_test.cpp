// SPDX-License-Identifier: MIT
#include <optional>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/queue_executor.hpp"
#include "support/waiting_coroutines.hpp"

namespace {

using futon::Agent;
using futon::AsyncLock;
using futon::WaitResult;
using futon::test::lock_owned;
using futon::test::OwnedCoroutine;
using futon::test::QueueExecutor;

TEST(AbandonedWaitDeathTest, DestroyingACoroutineAfterItsAgentWhileAnExecutorKeepsItsWakeAborts) {
    const auto misuse = [] {
        QueueExecutor queue;
        std::optional<Agent> agent(std::in_place, queue);
        AsyncLock lock;
        lock.try_lock();
        std::optional<WaitResult> result;
        OwnedCoroutine coroutine = lock_owned(lock, result);
        lock.unlock();
        agent.reset();
        coroutine.destroy();
    };

    EXPECT_DEATH(misuse(), "broken rule: a wait must not be destroyed while its wake-up is under way");
}

}  // namespace
