// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/queue_executor.hpp"
#include "support/waiting_coroutines.hpp"

namespace {

using futon::Agent;
using futon::AsyncLock;
using futon::CanBlock;
using futon::EventLoop;
using futon::WaitResult;
using futon::test::lock_owned;
using futon::test::OwnedCoroutine;
using futon::test::QueueExecutor;

/// Each misuse aborts a process of its own, which is executed anew so that it may have threads.
class MisuseDeathTest : public testing::Test {
protected:
    void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(MisuseDeathTest, WaitingForAnotherThreadsAgentAborts) {
    const auto misuse = [] {
        EventLoop loop;
        std::atomic<int> cell{0};
        std::thread([&, &agent = Agent::current()] {
            static_cast<void>(futon::wait_async(cell, 0, {}, agent));
        }).join();
    };

    EXPECT_DEATH(misuse(), "broken rule: an agent's waits begin on its own thread");
}

TEST_F(MisuseDeathTest, DestroyingALoopInItsOwnJobAborts) {
    const auto misuse = [] {
        auto loop = std::make_unique<EventLoop>();
        loop->post([&] { loop.reset(); });
        loop->run();
    };

    EXPECT_DEATH(misuse(), "broken rule: an event loop is not destroyed by a job of its own");
}

TEST_F(MisuseDeathTest, DestroyingALoopInItsOwnTimerAborts) {
    const auto misuse = [] {
        auto loop = std::make_unique<EventLoop>();
        loop->post_after(std::chrono::milliseconds(0), [&] { loop.reset(); });
        loop->run();
    };

    EXPECT_DEATH(misuse(), "broken rule: an event loop is not destroyed by a job of its own");
}

TEST_F(MisuseDeathTest, DestroyingAgentsInOrderOfConstructionAborts) {
    const auto misuse = [] {
        auto first = std::make_unique<Agent>(CanBlock::no);
        const Agent second(CanBlock::no);
        first.reset();
    };

    EXPECT_DEATH(misuse(), "broken rule: the agents of a thread end in the reverse order of their making");
}

TEST_F(MisuseDeathTest, DestroyingLoopsInOrderOfConstructionAborts) {
    const auto misuse = [] {
        auto first = std::make_unique<EventLoop>();
        const EventLoop second;
        first.reset();
    };

    EXPECT_DEATH(misuse(), "broken rule: the agents of a thread end in the reverse order of their making");
}

TEST_F(MisuseDeathTest, DestroyingAnAgentOnAnotherThreadAborts) {
    const auto misuse = [] {
        auto agent = std::make_unique<Agent>(CanBlock::no);
        std::thread([&] { agent.reset(); }).join();
    };

    EXPECT_DEATH(misuse(), "broken rule: an agent ends on the thread that made it");
}

TEST_F(MisuseDeathTest, DestroyingACoroutineWhileAnExecutorKeepsItsWakeAborts) {
    const auto misuse = [] {
        QueueExecutor queue;
        const Agent agent(queue);
        AsyncLock lock;
        lock.try_lock();
        std::optional<WaitResult> result;
        OwnedCoroutine coroutine = lock_owned(lock, result);
        lock.unlock();
        coroutine.destroy();
    };

    EXPECT_DEATH(misuse(), "broken rule: a wait must not be destroyed while its wake-up is under way");
}

TEST_F(MisuseDeathTest, PuttingPermitsBackWhereThereIsNoRoomForThemAborts) {
    const auto misuse = [] {
        futon::Semaphore semaphore(futon::Semaphore::max());
        const auto permits = semaphore.scoped_acquire(2);
        semaphore.release();  // not acquired by the one that releases it
    };

    EXPECT_DEATH(misuse(), "broken rule: permits are put back where the semaphore has room for them");
}

}  // namespace
