// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

#include <futon/core.hpp>
#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/scale.hpp"
#include "support/waiting.hpp"
#include "support/waiting_coroutines.hpp"

// Coroutines of another library, whose owner destroys them while their wake-ups are posted, or while they are listed in a
// promise.

namespace {

using futon::EventLoop;
using futon::Promise;
using futon::WaitResult;
using futon::test::many;
using futon::test::OwnedCoroutine;

OwnedCoroutine wait_owned(std::atomic<int>& cell) {
    co_await futon::core::await(futon::waiting(cell, 0));
}

OwnedCoroutine await_owned(const Promise<WaitResult>& promise) {
    co_await promise;
}

class RetractStress : public testing::Test {
protected:
    void destroy_newest_first() {
        while (!coroutines.empty()) coroutines.pop_back();
    }

    void destroy_in_any_order() {
        std::vector<std::size_t> order(coroutines.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::shuffle(order.begin(), order.end(), std::mt19937(1));
        for (const std::size_t i : order) coroutines[i].destroy();
    }

    EventLoop loop;
    std::atomic<int> cell{0};
    std::vector<OwnedCoroutine> coroutines;
};

TEST_F(RetractStress, TakesBackPostedWakesInLinearTimeNewestFirst) {
    for (int i = 0; i < many; ++i) coroutines.push_back(wait_owned(cell));
    EXPECT_EQ(futon::notify(cell), static_cast<std::size_t>(many));

    destroy_newest_first();

    EXPECT_FALSE(loop.poll());
}

TEST_F(RetractStress, TakesBackPostedWakesInLinearTimeInAnyOrder) {
    for (int i = 0; i < many; ++i) coroutines.push_back(wait_owned(cell));
    EXPECT_EQ(futon::notify(cell), static_cast<std::size_t>(many));

    destroy_in_any_order();

    EXPECT_FALSE(loop.poll());
}

TEST_F(RetractStress, TakesBackAwaitsOfOnePromiseInLinearTime) {
    const auto promise = futon::wait_async(cell, 0).promise();
    for (int i = 0; i < many; ++i) coroutines.push_back(await_owned(promise));

    // From the end that is far from the newest.
    for (OwnedCoroutine& coroutine : coroutines) coroutine.destroy();
    futon::notify(cell);
    loop.run();

    EXPECT_TRUE(promise.is_settled());
}

TEST_F(RetractStress, TakesBackAwaitsOfASettledPromiseInLinearTime) {
    const auto promise = futon::wait_async(cell, 0).promise();
    for (int i = 0; i < many; ++i) coroutines.push_back(await_owned(promise));
    futon::notify(cell);
    loop.poll();
    EXPECT_TRUE(promise.is_settled());

    destroy_newest_first();

    EXPECT_FALSE(loop.poll());
}

TEST_F(RetractStress, PassesAWakeOfALockThroughAllThatAreDestroyed) {
    futon::AsyncLock lock;
    std::vector<std::optional<WaitResult>> results(static_cast<std::size_t>(many));
    lock.try_lock();
    for (auto& result : results) coroutines.push_back(futon::test::lock_owned(lock, result));
    lock.unlock();

    // Each passes the wake on to the next, whose job is posted then.
    for (OwnedCoroutine& coroutine : coroutines) coroutine.destroy();

    EXPECT_TRUE(lock.try_lock());
    EXPECT_FALSE(loop.poll());
}

TEST_F(RetractStress, ReportsUnhandledExceptionsInLinearTime) {
    int thrown = 0;
    int caught = 0;
    for (int i = 0; i < many; ++i) loop.report_unhandled(std::make_exception_ptr(thrown++));

    for (int i = 0; i < many; ++i) {
        try {
            loop.poll();
        } catch (int number) {
            caught += number == i ? 1 : 0;  // the oldest first
        }
    }

    EXPECT_EQ(caught, many);
}

}  // namespace
