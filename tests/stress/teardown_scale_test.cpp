// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstddef>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/scale.hpp"
#include "support/waiting.hpp"
#include "support/waiting_coroutines.hpp"

// Where one of these took time in proportion to the square of `many`, it would take minutes.

namespace {

using futon::EventLoop;
using futon::Promise;
using futon::WaitResult;
using futon::test::DestructionCounter;
using futon::test::lock_counted;
using futon::test::wait_counted;

constexpr int many = futon::test::scaled(400'000);

Promise<void> listen_to(const Promise<WaitResult>& promise, int& destroyed) {
    const DestructionCounter local(destroyed);
    co_await promise;
}

TEST(TeardownOfMany, WhoseWakesWerePosted) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    int destroyed = 0;
    for (int i = 0; i < many; ++i) static_cast<void>(wait_counted(cell, destroyed));
    EXPECT_EQ(futon::notify(cell), static_cast<std::size_t>(many));

    loop.reset();

    EXPECT_EQ(destroyed, many);
}

TEST(TeardownOfMany, WhoseWakesArePostedMeanwhile) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    int destroyed = 0;
    for (int i = 0; i < many; ++i) static_cast<void>(wait_counted(cell, destroyed));
    std::jthread notifier([&] { futon::notify(cell); });
    futon::test::until_waiting(cell, 0);  // all are on their way, and most of them not yet posted

    loop.reset();

    EXPECT_EQ(destroyed, many);
}

TEST(TeardownOfMany, WhoWaitInOneLine) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    int destroyed = 0;
    for (int i = 0; i < many; ++i) static_cast<void>(wait_counted(cell, destroyed));

    loop.reset();

    EXPECT_EQ(destroyed, many);
}

TEST(TeardownOfMany, WhoListenToOnePromise) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    int destroyed = 0;
    const auto promise = futon::wait_async(cell, 0).promise();
    for (int i = 0; i < many; ++i) static_cast<void>(listen_to(promise, destroyed));

    loop.reset();

    EXPECT_EQ(destroyed, many);
}

TEST(TeardownOfMany, WhoListenedToOneSettledPromise) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    int destroyed = 0;
    const auto promise = futon::wait_async(cell, 0).promise();
    for (int i = 0; i < many; ++i) static_cast<void>(listen_to(promise, destroyed));
    futon::notify(cell);
    loop->poll();
    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(destroyed, 0);

    loop.reset();

    EXPECT_EQ(destroyed, many);
}

TEST(TeardownOfMany, WhoWaitForOneLock) {
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

TEST(TeardownOfMany, WithDeadlines) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    std::vector<Promise<WaitResult>> promises;
    for (int i = 0; i < many; ++i) promises.push_back(futon::wait_async(cell, 0, std::chrono::hours(1)).promise());
    EXPECT_EQ(futon::notify(cell, many / 2), static_cast<std::size_t>(many / 2));

    loop.reset();

    EXPECT_EQ(futon::test::waiting_at(cell), 0u);
}

}  // namespace
