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

/// What a guard said of itself.
struct Answer {
    bool owns;
    WaitResult result;

    explicit Answer(const AsyncLock::Guard& guard) : owns(guard.owns_lock()), result(guard.result()) {}
};

void expect_owner(const Answer& answer) {
    EXPECT_TRUE(answer.owns);
    EXPECT_EQ(answer.result, WaitResult::ok);
}

void expect_failure(const Answer& answer, WaitResult reason) {
    EXPECT_FALSE(answer.owns);
    EXPECT_EQ(answer.result, reason);
}

TEST(Acquisition, AwaitedAgainAfterItTimedOutOwnsTheLockThatIsFree) {
    EventLoop loop;
    AsyncLock lock;
    std::vector<Answer> answers;
    const auto twice = [&]() -> Promise<void> {
        auto acquisition = lock.scoped_lock_async(1ms);
        lock.try_lock();
        answers.emplace_back(co_await acquisition);
        lock.unlock();
        answers.emplace_back(co_await acquisition);
    };

    loop.run_until(twice());

    ASSERT_EQ(answers.size(), 2u);
    expect_failure(answers[0], WaitResult::timed_out);
    expect_owner(answers[1]);
    EXPECT_TRUE(lock.try_lock());
}

TEST(Acquisition, AwaitedAgainAfterItWasCancelledOwnsTheLockThatIsFree) {
    EventLoop loop;
    AsyncLock lock;
    std::stop_source source;
    std::vector<Answer> answers;
    const auto twice = [&]() -> Promise<void> {
        auto acquisition = lock.scoped_lock_async(Deadline::never(), source.get_token());
        lock.try_lock();
        answers.emplace_back(co_await acquisition);
        lock.unlock();
        answers.emplace_back(co_await acquisition);
    };
    auto promise = twice();

    source.request_stop();
    loop.run_until(promise);

    ASSERT_EQ(answers.size(), 2u);
    expect_failure(answers[0], WaitResult::cancelled);
    expect_owner(answers[1]);
    EXPECT_TRUE(lock.try_lock());
}

TEST(Acquisition, AwaitedAgainAfterItWasGotWaitsForTheLockInLine) {
    EventLoop loop;
    AsyncLock lock;
    std::vector<Answer> answers;
    const auto twice = [&]() -> Promise<void> {
        auto acquisition = lock.scoped_lock_async();
        answers.emplace_back(co_await acquisition);
        lock.try_lock();
        answers.emplace_back(co_await acquisition);
    };
    auto promise = twice();
    EXPECT_EQ(answers.size(), 1u);
    EXPECT_EQ(waiting_at(lock), 1u);

    lock.unlock();
    loop.run_until(promise);

    ASSERT_EQ(answers.size(), 2u);
    expect_owner(answers[1]);
    EXPECT_TRUE(lock.try_lock());
}

TEST(Acquisition, AwaitedAgainWithItsDeadlinePassedSaysSo) {
    EventLoop loop;
    AsyncLock lock;
    std::vector<Answer> answers;
    lock.try_lock();
    const auto twice = [&]() -> Promise<void> {
        auto acquisition = lock.scoped_lock_async(1ms);
        for (int i = 0; i < 2; ++i) answers.emplace_back(co_await acquisition);
    };

    loop.run_until(twice());

    ASSERT_EQ(answers.size(), 2u);
    expect_failure(answers[0], WaitResult::timed_out);
    expect_failure(answers[1], WaitResult::timed_out);
    EXPECT_EQ(waiting_at(lock), 0u);
}

}  // namespace
