// SPDX-License-Identifier: MIT
// A promise that has settled owns what it has settled with. Dropped unread, it gives back what its value gives back.
#include <memory>
#include <utility>

#include <futon/futon.hpp>

#include "support/gtest.hpp"

namespace {

using futon::AsyncLock;
using futon::EventLoop;
using futon::promise_of;
using futon::WaitResult;

/// Lets the operation be done for a promise that nothing reads. `serve` is what it waits for.
template <class Op, class Serve>
void settle_and_drop(Op operation, Serve serve) {
    EventLoop loop;
    const auto promise = promise_of(std::move(operation));
    serve();
    loop.run();
    EXPECT_TRUE(promise.is_settled());
}

TEST(SettledAndDropped, AGuardReleasesItsLock) {
    AsyncLock lock;
    ASSERT_TRUE(lock.try_lock());

    settle_and_drop(lock.locking(), [&] { lock.unlock(); });

    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

TEST(SettledAndDropped, AGuardReleasesItsSharedLock) {
    futon::SharedLock lock;
    ASSERT_TRUE(lock.try_lock());

    settle_and_drop(lock.locking_shared(), [&] { lock.unlock(); });

    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

TEST(SettledAndDropped, PermitsAreReleased) {
    futon::Semaphore semaphore;

    settle_and_drop(semaphore.scoped_acquiring(), [&] { semaphore.release(); });

    EXPECT_EQ(semaphore.available(), 1u);
}

TEST(SettledAndDropped, APermitThatNoObjectOwnsIsLost) {
    futon::Semaphore semaphore;

    settle_and_drop(semaphore.acquiring(), [&] { semaphore.release(); });

    EXPECT_EQ(semaphore.available(), 0u);
}

TEST(SettledAndDropped, AnItemIsDestroyed) {
    futon::Channel<std::shared_ptr<int>> channel(1);
    auto item = std::make_shared<int>(7);

    settle_and_drop(channel.receiving(), [&] { EXPECT_TRUE(channel.try_send(item)); });

    EXPECT_EQ(channel.try_receive().result(), futon::ChannelResult::would_block);
    EXPECT_EQ(item.use_count(), 1);
}

TEST(SettledAndDropped, ASentItemStaysSent) {
    futon::Channel<int> channel(1);

    settle_and_drop(channel.sending(7), [] {});

    EXPECT_EQ(channel.try_receive().value_or(0), 7);
}

TEST(SettledAndDropped, TheSignalOfAnAutoResetEventIsLost) {
    futon::AutoResetEvent event;

    settle_and_drop(event.waiting(), [&] { event.set(); });

    EXPECT_FALSE(event.is_set());
}

TEST(SettledAndDropped, ANotificationIsLostAndItsLockReleased) {
    AsyncLock lock;
    futon::Condition condition;
    AsyncLock::Guard guard = lock.scoped_lock();

    settle_and_drop(condition.waiting(std::move(guard)), [&] { EXPECT_EQ(condition.notify_one(), 1u); });

    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
    EXPECT_EQ(condition.notify_one(), 0u);
}

TEST(SettledAndDropped, AnAttemptFails) {
    futon::Once once;

    settle_and_drop(once.beginning(), [] {});

    EXPECT_TRUE(once.try_begin()->is_mine());
}

}  // namespace
