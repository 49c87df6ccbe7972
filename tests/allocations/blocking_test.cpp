// SPDX-License-Identifier: MIT
// What blocks a thread needs no memory, and what wakes it needs none.
#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>
#include <utility>

#include <futon/futon.hpp>

#include "support/channel_items.hpp"
#include "support/failing_allocations.hpp"
#include "support/gtest.hpp"
#include "support/wait_subjects.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::WaitResult;
using futon::test::AllocationRun;
using futon::test::Refused;
using futon::test::succeeds;
using futon::test::until_waiting;

/// Has a thread wait where all memory is refused, until it is queued at `key`; then wakes it by `wake` where all is refused, too.
template <class Key, class Wait, class Wake>
void block_without_memory(const Key& key, Wait wait, Wake wake) {
    bool has_waited = false;
    {
        const std::jthread thread([&] { has_waited = succeeds(wait); });
        until_waiting(key, 1);
        EXPECT_TRUE(succeeds(wake));
    }
    EXPECT_TRUE(has_waited);
}

class Blocking : public testing::Test {
protected:
    const AllocationRun run_{1, Refused::all_later};  // all
    std::stop_source stop_;
};

TEST_F(Blocking, InLocks) {
    futon::AsyncLock lock;
    futon::SharedLock shared;
    lock.lock();
    block_without_memory(
        lock, [&] { lock.lock(); }, [&] { lock.unlock(); });
    lock.unlock();
    lock.lock();
    block_without_memory(
        lock,
        [&] {
            EXPECT_EQ(lock.lock({1h, stop_.get_token()}), WaitResult::ok);
        },
        [&] { lock.unlock(); });
    shared.lock();
    block_without_memory(
        shared, [&] { shared.lock_shared(); }, [&] { shared.unlock(); });
    block_without_memory(
        shared, [&] { shared.lock(); }, [&] { shared.unlock_shared(); });
}

TEST_F(Blocking, InWordsAndSignals) {
    std::atomic<int> word{0};
    futon::Event event;
    futon::Semaphore semaphore(0);
    block_without_memory(
        word,
        [&] {
            EXPECT_EQ(futon::wait(word, 0, {1h, stop_.get_token()}), WaitResult::ok);
        },
        [&] { futon::notify(word); });
    block_without_memory(
        event, [&] { event.wait(); }, [&] { event.set(); });
    block_without_memory(
        semaphore, [&] { semaphore.acquire(); }, [&] { semaphore.release(); });
}

TEST_F(Blocking, InConditionsAndSelects) {
    futon::AsyncLock lock;
    futon::Condition condition;
    futon::Event event;
    block_without_memory(
        condition,
        [&] {
            lock.lock();
            futon::AsyncLock::Guard guard(lock, std::adopt_lock);
            EXPECT_EQ(condition.wait(guard, 1h), WaitResult::ok);
        },
        [&] { condition.notify_one(); });
    block_without_memory(
        event,
        [&] {
            lock.lock();
            EXPECT_EQ(futon::select(event.waiting(), lock.locking(), futon::timeout(1h),
                                    futon::stop_requested(stop_.get_token()))
                          .index(),
                      0u);
            lock.unlock();
        },
        [&] { event.set(); });
}

TEST_F(Blocking, InChannels) {
    futon::Channel<futon::test::Item> channel;
    auto item = futon::test::item(1);
    block_without_memory(
        channel,
        [&] {
            item = *channel.receive({1h, stop_.get_token()});
        },
        [&] { EXPECT_TRUE(channel.try_send(std::move(item))); });
    block_without_memory(
        channel, [&] { EXPECT_TRUE(channel.send(std::move(item), 1h)); }, [&] { item = *channel.try_receive(); });
    EXPECT_EQ(*item, 1);
}

}  // namespace
