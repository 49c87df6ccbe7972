// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <futon/futon.hpp>

#include "support/coroutines.hpp"
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

OwnedCoroutine take(AsyncLock& lock, std::uint64_t& sum) {
    const AsyncLock::Guard guard = co_await lock.scoped_lock_async();
    if (guard.owns_lock()) ++sum;
}

OwnedCoroutine wait_for(std::atomic<int>& cell, int& wakes) {
    co_await futon::wait_async(cell, 0);
    ++wakes;
}

/// A thread that does one thing each time it is told to.
class Helper {
public:
    explicit Helper(std::function<void()> task) : task_(std::move(task)) {}

    void start() { ++asked_; }
    void finish() {
        until([&] { return done_ == asked_; });
    }

private:
    std::function<void()> task_;
    std::atomic<int> asked_{0};
    std::atomic<int> done_{0};
    std::jthread thread_{[this](const std::stop_token& end) {
        while (!end.stop_requested()) {
            if (done_ == asked_) {
                std::this_thread::yield();
                continue;
            }
            task_();
            ++done_;
        }
    }};
};

/// A coroutine that is first in line for a lock, and a thread that is blocked behind it. While the lock is set free,
/// the test ends the coroutine; if the wake was lost with it, the thread would sleep for ever.
class WokenWhileItEnds : public testing::Test {
protected:
    /// Puts both in line.
    OwnedCoroutine line_up() {
        EXPECT_TRUE(lock.try_lock());
        OwnedCoroutine first = take(lock, sum);
        next.start();
        until_waiting(lock, 2);
        return first;
    }

    /// Begins to set the lock free. In every other round the coroutine has left the line when this returns; its wake may
    /// have been posted or not.
    void unlock_meanwhile(int round) {
        if (round % 100 == 0) until_handoff_is_due();
        unlocking.start();
        if (round % 2 == 0) until([&] { return waiting_at(lock) < 2; });
    }

    void expect_that_the_thread_is_served() {
        unlocking.finish();
        next.finish();
        EXPECT_EQ(waiting_at(lock), 0u);
    }

    AsyncLock lock;
    std::uint64_t sum = 0;  // of those that got the lock
    Helper next{[this] { const std::scoped_lock hold(lock); }};
    Helper unlocking{[this] { lock.unlock(); }};
};

TEST_F(WokenWhileItEnds, ACoroutineThatIsDestroyedByItsOwnerPassesTheWakeOn) {
    EventLoop loop;
    TimedRounds race;

    while (race.has_another_round()) {
        OwnedCoroutine first = line_up();
        unlock_meanwhile(race.round());
        first.destroy();
        expect_that_the_thread_is_served();
    }

    EXPECT_EQ(sum, 0u);
    EXPECT_TRUE(lock.try_lock());
}

TEST_F(WokenWhileItEnds, ACoroutineWhoseLoopEndsPassesTheWakeOn) {
    TimedRounds race;

    while (race.has_another_round()) {
        std::optional<EventLoop> loop(std::in_place);
        const OwnedCoroutine first = line_up();
        unlock_meanwhile(race.round());
        loop.reset();
        expect_that_the_thread_is_served();
        EXPECT_TRUE(first.is_done());
    }

    EXPECT_EQ(sum, 0u);
    EXPECT_TRUE(lock.try_lock());
}

TEST(ForeignCoroutineStress, MayBeDestroyedAtAnyMomentOfItsWake) {
    std::atomic<int> cell{0};
    std::atomic<bool> is_over{false};
    std::jthread notifier([&] {
        while (!is_over) futon::notify(cell, 1);
    });
    EventLoop loop;
    int wakes = 0;
    constexpr int rounds = futon::test::scaled(100'000);

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
