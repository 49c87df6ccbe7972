// SPDX-License-Identifier: MIT
#include <chrono>
#include <stdexcept>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::EventLoop;
using futon::Promise;
using futon::test::waiting_at;

TEST(Acquisition, IsRefusedWhenAwaitedASecondTime) {
    EventLoop loop;
    AsyncLock lock;
    const auto twice = [&]() -> Promise<void> {
        auto acquisition = lock.scoped_lock_async();
        { const auto guard = co_await acquisition; }
        const auto refused = co_await acquisition;
    };

    EXPECT_THROW(loop.run_until(twice()), std::logic_error);

    EXPECT_TRUE(lock.try_lock());
}

TEST(Acquisition, IsRefusedWhenAwaitedAgainAfterATimeout) {
    EventLoop loop;
    AsyncLock lock;
    ASSERT_TRUE(lock.try_lock());
    const auto twice = [&]() -> Promise<void> {
        auto acquisition = lock.scoped_lock_async(1ms);
        const auto guard = co_await acquisition;
        EXPECT_FALSE(guard.owns_lock());
        const auto refused = co_await acquisition;
    };

    EXPECT_THROW(loop.run_until(twice()), std::logic_error);

    EXPECT_EQ(waiting_at(lock), 0u);
}

}  // namespace
