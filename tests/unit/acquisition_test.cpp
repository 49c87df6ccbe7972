// SPDX-License-Identifier: MIT
#include <chrono>
#include <stop_token>
#include <vector>

#include <gtest/gtest.h>

#include <futon/futon.hpp>

#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::Deadline;
using futon::EventLoop;
using futon::Promise;
using futon::WaitResult;
using futon::test::waiting_at;

/// What a guard says of itself.
struct GuardState {
    bool owns;
    WaitResult result;

    explicit GuardState(const AsyncLock::Guard& guard) : owns(guard.owns_lock()), result(guard.result()) {}
};

void expect_owner(const GuardState& state) {
    EXPECT_TRUE(state.owns);
    EXPECT_EQ(state.result, WaitResult::ok);
}

void expect_not_owner(const GuardState& state, WaitResult reason) {
    EXPECT_FALSE(state.owns);
    EXPECT_EQ(state.result, reason);
}

TEST(Acquisition, AcquiresWhenAwaitedAgainAfterATimeout) {
    EventLoop loop;
    AsyncLock lock;
    std::vector<GuardState> states;
    const auto twice = [&]() -> Promise<void> {
        auto acquisition = lock.scoped_lock_async(1ms);
        lock.try_lock();
        states.emplace_back(co_await acquisition);
        lock.unlock();
        states.emplace_back(co_await acquisition);
    };

    loop.run_until(twice());

    ASSERT_EQ(states.size(), 2u);
    expect_not_owner(states[0], WaitResult::timed_out);
    expect_owner(states[1]);
    EXPECT_TRUE(lock.try_lock());
}

TEST(Acquisition, AcquiresWhenAwaitedAgainAfterACancellation) {
    EventLoop loop;
    AsyncLock lock;
    std::stop_source source;
    std::vector<GuardState> states;
    const auto twice = [&]() -> Promise<void> {
        auto acquisition = lock.scoped_lock_async(Deadline::never(), source.get_token());
        lock.try_lock();
        states.emplace_back(co_await acquisition);
        lock.unlock();
        states.emplace_back(co_await acquisition);
    };
    auto promise = twice();

    source.request_stop();
    loop.run_until(promise);

    ASSERT_EQ(states.size(), 2u);
    expect_not_owner(states[0], WaitResult::cancelled);
    expect_owner(states[1]);
    EXPECT_TRUE(lock.try_lock());
}

TEST(Acquisition, IsQueuedWhenAwaitedAgainWhileTheLockIsHeld) {
    EventLoop loop;
    AsyncLock lock;
    std::vector<GuardState> states;
    const auto twice = [&]() -> Promise<void> {
        auto acquisition = lock.scoped_lock_async();
        states.emplace_back(co_await acquisition);
        lock.try_lock();
        states.emplace_back(co_await acquisition);
    };
    auto promise = twice();
    EXPECT_EQ(states.size(), 1u);
    EXPECT_EQ(waiting_at(lock), 1u);

    lock.unlock();
    loop.run_until(promise);

    ASSERT_EQ(states.size(), 2u);
    expect_owner(states[1]);
    EXPECT_TRUE(lock.try_lock());
}

TEST(Acquisition, TimesOutAgainWhenAwaitedAgainAfterItsDeadline) {
    EventLoop loop;
    AsyncLock lock;
    std::vector<GuardState> states;
    lock.try_lock();
    const auto twice = [&]() -> Promise<void> {
        auto acquisition = lock.scoped_lock_async(1ms);
        for (int i = 0; i < 2; ++i) states.emplace_back(co_await acquisition);
    };

    loop.run_until(twice());

    ASSERT_EQ(states.size(), 2u);
    expect_not_owner(states[0], WaitResult::timed_out);
    expect_not_owner(states[1], WaitResult::timed_out);
    EXPECT_EQ(waiting_at(lock), 0u);
}

}  // namespace
