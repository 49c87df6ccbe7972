// SPDX-License-Identifier: MIT
#include <atomic>
#include <memory>
#include <thread>
#include <utility>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using futon::AsyncLock;
using futon::test::until;
using futon::test::until_waiting;

/// A thread that acquires each lock it is given, and destroys it as soon as it owns it.
class Destroyer {
public:
    /// Returns once the thread is about to lock.
    void give(AsyncLock& lock) {
        slot_.store(&lock);
        until([&] { return slot_.load() == nullptr; });
    }

    int destroyed() const { return destroyed_.load(); }

private:
    std::atomic<AsyncLock*> slot_{nullptr};
    std::atomic<int> destroyed_{0};
    std::jthread thread_{[this](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            const std::unique_ptr<AsyncLock> lock(slot_.exchange(nullptr));
            if (lock == nullptr) {
                std::this_thread::yield();
                continue;
            }
            lock->lock();
            ++destroyed_;
        }
    }};
};

TEST(AsyncLock, MayBeDestroyedByItsNextOwnerWhileAThreadUnlocksIt) {
    constexpr int rounds = 3000;
    Destroyer destroyer;

    for (int round = 0; round < rounds; ++round) {
        auto& lock = *new AsyncLock;
        lock.lock();
        destroyer.give(lock);
        if (round % 2 == 0) until_waiting(lock, 1);
        lock.unlock();
    }
    until([&] { return destroyer.destroyed() == rounds; });

    EXPECT_EQ(destroyer.destroyed(), rounds);
}

TEST(AsyncLock, MayBeDestroyedByItsNextOwnerWhileALoopUnlocksIt) {
    constexpr int rounds = 1000;
    Destroyer destroyer;
    futon::EventLoop loop;

    for (int round = 0; round < rounds; ++round) {
        auto& lock = *new AsyncLock;
        loop.run_until(lock.execute_locked([&] {
            destroyer.give(lock);
            if (round % 2 == 0) until_waiting(lock, 1);
        }));
    }
    until([&] { return destroyer.destroyed() == rounds; });

    EXPECT_EQ(destroyer.destroyed(), rounds);
}

}  // namespace
