// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstddef>
#include <optional>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/scale.hpp"
#include "support/waiting.hpp"
#include "support/waiting_coroutines.hpp"

namespace {

using futon::EventLoop;
using futon::Promise;
using futon::WaitResult;
using futon::test::DestructionCounter;
using futon::test::lock_counted;
using futon::test::many;
using futon::test::wait_counted;

Promise<void> await_counted(const Promise<WaitResult>& promise, int& destroyed) {
    const DestructionCounter local(destroyed);
    co_await promise;
}

TEST(EventLoopTeardownStress, EndsInLinearTimeWithWakesPosted) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    int destroyed = 0;
    for (int i = 0; i < many; ++i) static_cast<void>(wait_counted(cell, destroyed));
    EXPECT_EQ(futon::notify(cell), static_cast<std::size_t>(many));

    loop.reset();

    EXPECT_EQ(destroyed, many);
}

TEST(EventLoopTeardownStress, EndsInLinearTimeWhileWakesArePosted) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    int destroyed = 0;
    for (int i = 0; i < many; ++i) static_cast<void>(wait_counted(cell, destroyed));
    std::atomic<bool> is_notifying{false};
    std::jthread notifier([&] {
        is_notifying = true;
        futon::notify(cell);
    });
    futon::test::until([&] { return is_notifying.load(); });

    loop.reset();

    EXPECT_EQ(destroyed, many);
}

TEST(EventLoopTeardownStress, EndsInLinearTimeWithWaitersOfOneQueue) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    int destroyed = 0;
    for (int i = 0; i < many; ++i) static_cast<void>(wait_counted(cell, destroyed));

    loop.reset();

    EXPECT_EQ(destroyed, many);
}

TEST(EventLoopTeardownStress, EndsInLinearTimeWithAwaitersOfOnePromise) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    int destroyed = 0;
    const auto promise = futon::wait_async(cell, 0).promise();
    for (int i = 0; i < many; ++i) static_cast<void>(await_counted(promise, destroyed));

    loop.reset();

    EXPECT_EQ(destroyed, many);
}

TEST(EventLoopTeardownStress, EndsInLinearTimeWithAwaitersOfOneSettledPromise) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    int destroyed = 0;
    const auto promise = futon::wait_async(cell, 0).promise();
    for (int i = 0; i < many; ++i) static_cast<void>(await_counted(promise, destroyed));
    futon::notify(cell);
    loop->poll();
    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(destroyed, 0);

    loop.reset();

    EXPECT_EQ(destroyed, many);
}

TEST(EventLoopTeardownStress, EndsInLinearTimeWithWaitersOfOneLock) {
    std::optional<EventLoop> loop(std::in_place);
    futon::AsyncLock lock;
    int destroyed = 0;
    lock.try_lock();
    for (int i = 0; i < many; ++i) static_cast<void>(lock_counted(lock, destroyed));
    lock.unlock();

    loop.reset();

    EXPECT_EQ(destroyed, many);
    EXPECT_TRUE(lock.try_lock());
}

TEST(EventLoopTeardownStress, EndsInLinearTimeWithDeadlines) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    std::vector<Promise<WaitResult>> promises;
    for (int i = 0; i < many; ++i) promises.push_back(futon::wait_async(cell, 0, std::chrono::hours(1)).promise());
    EXPECT_EQ(futon::notify(cell, many / 2), static_cast<std::size_t>(many / 2));

    loop.reset();

    EXPECT_EQ(futon::test::waiting_at(cell), 0u);
}

}  // namespace
