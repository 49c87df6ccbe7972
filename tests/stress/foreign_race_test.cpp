// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/scale.hpp"
#include "support/timed_rounds.hpp"
#include "support/waiting.hpp"

namespace {

using futon::AsyncLock;
using futon::EventLoop;
using futon::test::OwnedCoroutine;
using futon::test::TimedRounds;
using futon::test::until;
using futon::test::until_handoff_is_due;
using futon::test::until_waiting;
using futon::test::waiting_at;

OwnedCoroutine lock_and_count(AsyncLock& lock, std::uint64_t& sum) {
    const AsyncLock::Guard guard = co_await lock.scoped_lock_async();
    if (guard.owns_lock()) ++sum;
}

OwnedCoroutine wait_for(std::atomic<int>& cell, int& wakes) {
    co_await futon::wait_async(cell, 0);
    ++wakes;
}

/// A thread that runs its task once for each start().
class Helper {
public:
    explicit Helper(std::function<void()> task) : task_(std::move(task)) {}

    void start() { ++started_; }
    void finish() {
        until([&] { return done_ == started_; });
    }

private:
    std::function<void()> task_;
    std::atomic<int> started_{0};
    std::atomic<int> done_{0};
    std::jthread thread_{[this](const std::stop_token& end) {
        while (!end.stop_requested()) {
            if (done_ == started_) {
                std::this_thread::yield();
                continue;
            }
            task_();
            ++done_;
        }
    }};
};

/// A coroutine that is the first in a lock's queue, and a thread that is blocked behind it. While the lock is released,
/// the test ends the coroutine; if the wake was lost with it, the thread would sleep for ever.
class AbandonedLockWaiterStress : public testing::Test {
protected:
    /// Enqueues both.
    OwnedCoroutine enqueue_both() {
        EXPECT_TRUE(lock.try_lock());
        OwnedCoroutine first = lock_and_count(lock, sum);
        next.start();
        until_waiting(lock, 2);
        return first;
    }

    /// Begins to release the lock. In every other round the coroutine is dequeued when this returns; its wake may have
    /// been posted or not.
    void unlock_meanwhile(int round) {
        if (round % 100 == 0) until_handoff_is_due();
        unlocking.start();
        if (round % 2 == 0) until([&] { return waiting_at(lock) < 2; });
    }

    void expect_the_thread_acquires() {
        unlocking.finish();
        next.finish();
        EXPECT_EQ(waiting_at(lock), 0u);
    }

    AsyncLock lock;
    std::uint64_t sum = 0;  // of the coroutines that acquired the lock
    Helper next{[this] { const std::scoped_lock hold(lock); }};
    Helper unlocking{[this] { lock.unlock(); }};
};

TEST_F(AbandonedLockWaiterStress, ADestroyedCoroutinePassesItsWakeOn) {
    EventLoop loop;
    TimedRounds race;

    while (race.has_another_round()) {
        OwnedCoroutine first = enqueue_both();
        unlock_meanwhile(race.round());
        first.destroy();
        expect_the_thread_acquires();
    }

    EXPECT_EQ(sum, 0u);
    EXPECT_TRUE(lock.try_lock());
}

TEST_F(AbandonedLockWaiterStress, ACoroutineWhoseLoopEndsPassesItsWakeOn) {
    TimedRounds race;

    while (race.has_another_round()) {
        std::optional<EventLoop> loop(std::in_place);
        const OwnedCoroutine first = enqueue_both();
        unlock_meanwhile(race.round());
        loop.reset();
        expect_the_thread_acquires();
        EXPECT_TRUE(first.is_done());
    }

    EXPECT_EQ(sum, 0u);
    EXPECT_TRUE(lock.try_lock());
}

TEST(ForeignCoroutineStress, MayBeDestroyedAtAnyPointOfItsWake) {
    std::atomic<int> cell{0};
    std::atomic<bool> is_over{false};
    std::jthread notifier([&] {
        while (!is_over) futon::notify(cell, 1);
    });
    EventLoop loop;
    int wakes = 0;
    const int rounds = futon::test::scaled(100'000);

    for (int round = 0; round < rounds; ++round) {
        OwnedCoroutine first = wait_for(cell, wakes);
        OwnedCoroutine second = wait_for(cell, wakes);
        if (round % 4 == 0) loop.poll();
    }
    is_over = true;

    EXPECT_LE(wakes, 2 * rounds);
    EXPECT_EQ(futon::core::process_table().count(&cell), 0u);
}

}  // namespace
