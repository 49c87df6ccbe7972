// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"
#include "support/waiting_coroutines.hpp"

namespace {

using futon::Agent;
using futon::AsyncLock;
using futon::EventLoop;
using futon::Promise;
using futon::wait_async;
using futon::core::process_table;
using futon::core::Waiter;
using futon::core::WaitTable;
using futon::test::until;
using futon::test::until_waiting;
using futon::test::wait_counted;

/// Its destructor sets a flag: the loop or agent has begun to end.
struct SetsFlagAtEnd {
    std::atomic<bool>& has_ended;
    ~SetsFlagAtEnd() { has_ended = true; }
};

Promise<void> wait_and_set_flag(std::atomic<int>& cell, std::atomic<bool>& has_ended) {
    const SetsFlagAtEnd local{has_ended};
    co_await wait_async(cell, 0);
}

/// A notify that is between its two steps while an agent ends: it has dequeued waiters, and posts them once the agent
/// has begun to end.
class PausedNotify {
public:
    PausedNotify(const void* key, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) dequeued_.push_back(process_table().dequeue_first(key));
    }

    void resume_when(const std::atomic<bool>& may_resume) {
        thread_ = std::jthread([&] {
            until([&] { return may_resume.load(); });
            for (Waiter* waiter : dequeued_) WaitTable::deliver(*waiter);
        });
    }

private:
    std::vector<Waiter*> dequeued_;
    std::jthread thread_;
};

TEST(Agent, OnALoopMayEndWhileANotifyIsBetweenDequeueAndDelivery) {
    EventLoop loop;
    std::optional<Agent> agent(std::in_place, loop);
    std::atomic<int> cell{0};
    std::atomic<int> other{0};
    std::atomic<bool> is_ending{false};
    int destroyed = 0;
    for (int i = 0; i < 3; ++i) static_cast<void>(wait_counted(cell, destroyed));
    static_cast<void>(wait_and_set_flag(other, is_ending));
    PausedNotify notify(&cell, 3);
    notify.resume_when(is_ending);

    agent.reset();

    EXPECT_TRUE(is_ending);
    EXPECT_EQ(destroyed, 3);
    EXPECT_FALSE(loop.poll());
}

TEST(EventLoop, MayEndWhileANotifyIsBetweenDequeueAndDelivery) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    std::atomic<int> other{0};
    std::atomic<bool> is_ending{false};
    int destroyed = 0;
    for (int i = 0; i < 3; ++i) static_cast<void>(wait_counted(cell, destroyed));
    static_cast<void>(wait_and_set_flag(other, is_ending));
    PausedNotify notify(&cell, 3);
    notify.resume_when(is_ending);

    loop.reset();

    EXPECT_TRUE(is_ending);
    EXPECT_EQ(destroyed, 3);
}

TEST(Agent, OnALoopMayEndWithItsLoopWhileAnotherThreadNotifies) {
    constexpr int rounds = 500;
    constexpr int waits = 20;
    std::atomic<int> cell{0};
    std::atomic<bool> is_over{false};
    std::jthread notifier([&] {
        while (!is_over) futon::notify(cell, 7);
    });
    int destroyed = 0;

    for (int round = 0; round < rounds; ++round) {
        EventLoop loop;
        const Agent agent(loop);
        for (int i = 0; i < waits; ++i) static_cast<void>(wait_counted(cell, destroyed));
    }
    is_over = true;

    EXPECT_EQ(destroyed, rounds * waits);
}

TEST(Agent, OnALoopPassesItsPostedLockWakeOnWhenItEnds) {
    AsyncLock lock;
    EventLoop loop;
    std::optional<Agent> agent(std::in_place, loop);
    bool has_run = false;
    lock.try_lock();
    const auto promise = lock.execute_locked([&] { has_run = true; });
    std::thread next([&] { const std::scoped_lock hold(lock); });
    until_waiting(lock, 2);
    lock.unlock();

    agent.reset();
    next.join();

    EXPECT_FALSE(has_run);
    EXPECT_TRUE(lock.try_lock());
    EXPECT_FALSE(loop.poll());
}

}  // namespace
