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

// Where one of these took time in proportion to the square of `many`, it would take minutes.

namespace {

using futon::EventLoop;
using futon::Promise;
using futon::WaitResult;
using futon::test::CountsItsEnd;

constexpr int many = futon::test::scaled(400'000);

Promise<void> wait_for(std::atomic<int>& cell, int& ends) {
    const CountsItsEnd local(ends);
    co_await futon::wait_async(cell, 0);
}

Promise<void> listen_to(const Promise<WaitResult>& promise, int& ends) {
    const CountsItsEnd local(ends);
    co_await promise;
}

Promise<void> take(futon::AsyncLock& lock, int& ends) {
    const CountsItsEnd local(ends);
    const auto guard = co_await lock.scoped_lock_async();
}

TEST(TeardownOfMany, WhoseWakesWerePosted) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    int ends = 0;
    for (int i = 0; i < many; ++i) static_cast<void>(wait_for(cell, ends));
    EXPECT_EQ(futon::notify(cell), static_cast<std::size_t>(many));

    loop.reset();

    EXPECT_EQ(ends, many);
}

TEST(TeardownOfMany, WhoseWakesArePostedMeanwhile) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    int ends = 0;
    for (int i = 0; i < many; ++i) static_cast<void>(wait_for(cell, ends));
    std::jthread notifier([&] { futon::notify(cell); });
    futon::test::until_waiting(cell, 0);  // all are on their way, and most of them not yet posted

    loop.reset();

    EXPECT_EQ(ends, many);
}

TEST(TeardownOfMany, WhoWaitInOneLine) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    int ends = 0;
    for (int i = 0; i < many; ++i) static_cast<void>(wait_for(cell, ends));

    loop.reset();

    EXPECT_EQ(ends, many);
}

TEST(TeardownOfMany, WhoListenToOnePromise) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    int ends = 0;
    const auto promise = futon::wait_async(cell, 0).promise();
    for (int i = 0; i < many; ++i) static_cast<void>(listen_to(promise, ends));

    loop.reset();

    EXPECT_EQ(ends, many);
}

TEST(TeardownOfMany, WhoListenedToOneSettledPromise) {
    std::optional<EventLoop> loop(std::in_place);
    std::atomic<int> cell{0};
    int ends = 0;
    const auto promise = futon::wait_async(cell, 0).promise();
    for (int i = 0; i < many; ++i) static_cast<void>(listen_to(promise, ends));
    futon::notify(cell);
    loop->poll();
    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(ends, 0);

    loop.reset();

    EXPECT_EQ(ends, many);
}

TEST(TeardownOfMany, WhoWaitForOneLock) {
    std::optional<EventLoop> loop(std::in_place);
    futon::AsyncLock lock;
    int ends = 0;
    lock.try_lock();
    for (int i = 0; i < many; ++i) static_cast<void>(take(lock, ends));
    lock.unlock();

    loop.reset();

    EXPECT_EQ(ends, many);
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
