// SPDX-License-Identifier: MIT
#include <chrono>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include <gtest/gtest.h>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/waiting.hpp"

namespace {

using futon::AsyncLock;
using futon::EventLoop;
using futon::Promise;
using futon::test::CountsItsEnd;
using futon::test::OwnedCoroutine;
using futon::test::until_after;
using futon::test::until_waiting;
using futon::test::waiting_at;

Promise<void> lock_once(AsyncLock& lock, int& ends) {
    const CountsItsEnd local(ends);
    const AsyncLock::Guard guard = co_await lock.scoped_lock_async();
}

/// Lets time pass until whoever is in line now wants the lock handed over.
void exhaust_patience() {
    until_after(std::chrono::steady_clock::now() + AsyncLock::handoff_threshold);
}

TEST(AsyncLock, LeavesNobodyInLineBehindADestroyedLoop) {
    AsyncLock lock;
    std::optional<EventLoop> loop(std::in_place);
    lock.try_lock();
    int ends = 0;
    const auto promise = lock_once(lock, ends);

    loop.reset();

    EXPECT_EQ(waiting_at(lock), 0u);
    EXPECT_EQ(ends, 1);
}

TEST(AsyncLock, IsFreeAfterUnlockWhenItsOnlyWaiterEndedWithItsLoop) {
    AsyncLock lock;
    std::optional<EventLoop> loop(std::in_place);
    lock.try_lock();
    int ends = 0;
    const auto promise = lock_once(lock, ends);
    loop.reset();

    lock.unlock();

    EXPECT_TRUE(lock.try_lock());
}

TEST(AsyncLock, DoesNotRunAFunctionOfADestroyedLoop) {
    AsyncLock lock;
    std::optional<EventLoop> loop(std::in_place);
    lock.try_lock();
    bool has_run = false;
    const auto promise = lock.execute_locked([&] { has_run = true; });

    loop.reset();
    lock.unlock();

    EXPECT_FALSE(has_run);
    EXPECT_TRUE(lock.try_lock());
}

TEST(AsyncLock, IsSetFreeByALoopThatEndsWhileItHoldsIt) {
    AsyncLock lock;
    std::optional<EventLoop> loop(std::in_place);
    std::int32_t cell = 0;
    const futon::Word word(cell);
    const auto promise = lock.execute_locked([&]() -> Promise<void> { co_await wait_async(word, 0); });
    EXPECT_FALSE(lock.try_lock());

    loop.reset();

    EXPECT_TRUE(lock.try_lock());
}

TEST(AsyncLock, WakesTheNextThreadWhenTheWokenLoopIsDestroyed) {
    AsyncLock lock;
    std::optional<EventLoop> loop(std::in_place);
    lock.try_lock();
    int ends = 0;
    const auto promise = lock_once(lock, ends);
    std::thread next([&] { const std::scoped_lock hold(lock); });
    until_waiting(lock, 2);

    lock.unlock();
    loop.reset();
    next.join();

    EXPECT_EQ(ends, 1);
    EXPECT_TRUE(lock.try_lock());
}

TEST(AsyncLock, PassesOnALockThatWasHandedToADestroyedLoop) {
    AsyncLock lock;
    std::optional<EventLoop> loop(std::in_place);
    lock.try_lock();
    int ends = 0;
    const auto promise = lock_once(lock, ends);
    exhaust_patience();
    std::thread next([&] { const std::scoped_lock hold(lock); });
    until_waiting(lock, 2);

    lock.unlock();
    loop.reset();
    next.join();

    EXPECT_EQ(ends, 1);
    EXPECT_TRUE(lock.try_lock());
}

TEST(AsyncLock, WakesTheNextThreadWhenALoopEndsWithItsCancellationOnTheWay) {
    AsyncLock lock;
    std::optional<EventLoop> loop(std::in_place);
    std::stop_source source;
    lock.try_lock();
    const auto locking = [&]() -> Promise<void> {
        const auto guard = co_await lock.scoped_lock_async(futon::Deadline::never(), source.get_token());
    };
    const auto promise = locking();
    std::thread next([&] { const std::scoped_lock hold(lock); });
    until_waiting(lock, 2);

    source.request_stop();
    loop.reset();
    lock.unlock();
    next.join();

    EXPECT_TRUE(lock.try_lock());
}

OwnedCoroutine lock_in_a_frame_of_somebody_else(AsyncLock& lock) {
    const AsyncLock::Guard guard = co_await lock.scoped_lock_async();
}

TEST(AsyncLock, IsLeftByACoroutineThatIsDestroyedInLine) {
    AsyncLock lock;
    EventLoop loop;
    lock.try_lock();
    OwnedCoroutine first = lock_in_a_frame_of_somebody_else(lock);

    first.destroy();

    EXPECT_EQ(waiting_at(lock), 0u);
}

TEST(AsyncLock, WakesTheNextWhenAWokenCoroutineIsDestroyed) {
    AsyncLock lock;
    int ends = 0;
    EventLoop loop;
    lock.try_lock();
    OwnedCoroutine first = lock_in_a_frame_of_somebody_else(lock);
    const auto next = lock_once(lock, ends);

    lock.unlock();
    first.destroy();
    loop.poll();

    EXPECT_TRUE(next.is_settled());
}

TEST(AsyncLock, PassesOnALockThatWasHandedToADestroyedCoroutine) {
    AsyncLock lock;
    int ends = 0;
    EventLoop loop;
    lock.try_lock();
    OwnedCoroutine first = lock_in_a_frame_of_somebody_else(lock);
    exhaust_patience();
    const auto next = lock_once(lock, ends);

    lock.unlock();
    first.destroy();
    loop.poll();

    EXPECT_TRUE(next.is_settled());
}

}  // namespace
