// SPDX-License-Identifier: MIT
#include <atomic>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/scale.hpp"

namespace {

using futon::WaitResult;

TEST(LifetimeStress, AWordMayBeFreedByItsLastWaiter) {
    for (int round = 0; round < futon::test::scaled(10000); ++round) {
        auto* word = new std::atomic<int>(0);
        std::jthread waiter([word] {
            futon::wait(*word, 0);
            delete word;
        });
        while (futon::core::process_table().count(word) == 0) std::this_thread::yield();

        EXPECT_EQ(futon::notify(*word), 1u);
    }
}

TEST(LifetimeStress, ALoopMayEndWhileAnotherThreadNotifiesItsWaiters) {
    std::atomic<int> word{0};
    std::atomic<bool> is_over{false};
    std::atomic<std::uint64_t> notified{0};
    std::uint64_t enqueued = 0;
    std::jthread notifier([&] {
        while (!is_over) notified += futon::notify(word, 3);
    });

    for (int round = 0; round < futon::test::scaled(20000); ++round) {
        futon::EventLoop loop;
        std::vector<futon::Promise<WaitResult>> promises;
        for (int i = 0; i < 5; ++i) promises.push_back(futon::wait_async(word, 0).promise());
        enqueued += promises.size();
        if (round % 2 == 0) loop.poll();
    }
    is_over = true;
    notifier.join();

    EXPECT_LE(notified, enqueued);
    EXPECT_EQ(futon::notify(word), 0u);
}

TEST(LifetimeStress, ALoopMayEndWhileItsCoroutinesAcquireALock) {
    futon::AsyncLock lock;
    std::atomic<bool> is_over{false};
    long sum = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 2; ++i)
        threads.emplace_back([&] {
            while (!is_over) {
                const std::scoped_lock hold(lock);
                ++sum;
            }
        });

    for (int round = 0; round < futon::test::scaled(10000); ++round) {
        futon::EventLoop loop;
        for (int i = 0; i < 3; ++i) (void)lock.execute_locked([&] { ++sum; });
        if (round % 2 == 0) loop.poll();
    }
    is_over = true;
    threads.clear();

    EXPECT_TRUE(lock.try_lock());
}

TEST(LifetimeStress, AStopMayBeRequestedWhileAWaitEnds) {
    std::atomic<int> word{0};

    for (int round = 0; round < futon::test::scaled(10000); ++round) {
        std::stop_source stop;
        std::atomic<bool> has_begun{false};
        std::jthread stopper([&] {
            has_begun = true;
            stop.request_stop();
        });
        while (!has_begun) std::this_thread::yield();

        const WaitResult result = futon::wait(word, 0, {std::chrono::microseconds(round % 10), stop.get_token()});

        ASSERT_TRUE(result == WaitResult::cancelled || result == WaitResult::timed_out);
    }
}

}  // namespace
