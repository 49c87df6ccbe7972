// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::notify;
using futon::wait;
using futon::wait_async;
using futon::WaitResult;
using futon::test::short_wait;
using futon::test::until_after;
using futon::test::until_waiting;
using futon::test::waiting_at;

TEST(Timeout, NotifyWakesAQueuedPromisePastItsDeadline) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto [deadline, promise] = short_wait(cell);
    until_after(deadline + 100us);

    const std::size_t woken = notify(cell);

    EXPECT_EQ(woken, 1u);
    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(Timeout, NotifyDoesNotCountATimedOutPromise) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto promise = short_wait(cell).promise;
    EXPECT_EQ(loop.run_until(promise), WaitResult::timed_out);

    EXPECT_EQ(notify(cell), 0u);
}

TEST(Timeout, NotifyDoesNotCountATimedOutThread) {
    std::atomic<int> cell{0};
    EXPECT_EQ(wait(cell, 0, 1ms), WaitResult::timed_out);

    EXPECT_EQ(notify(cell), 0u);
}

TEST(Timeout, NotifyDoesNotCountACancelledWaiter) {
    EventLoop loop;
    std::atomic<int> cell{0};
    std::stop_source source;
    auto promise = wait_async(cell, 0, {1h, source.get_token()}).promise();
    source.request_stop();

    EXPECT_EQ(notify(cell), 0u);
    EXPECT_EQ(loop.run_until(promise), WaitResult::cancelled);
}

TEST(Timeout, DoesNotChangeTheResultOfANotifiedPromise) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto [deadline, promise] = short_wait(cell);
    notify(cell);
    until_after(deadline + 100us);

    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(Timeout, DoesNotChangeTheResultOfACancelledPromise) {
    EventLoop loop;
    std::atomic<int> cell{0};
    std::stop_source source;
    auto [deadline, promise] = short_wait(cell, source.get_token());
    source.request_stop();
    until_after(deadline + 100us);

    EXPECT_EQ(loop.run_until(promise), WaitResult::cancelled);
}

TEST(Timeout, ExactlyOneOfTimeoutAndNotifyEndsAWait) {
    constexpr int rounds = 2000;
    std::atomic<int> cell{0};
    std::atomic<int> oks{0};
    std::atomic<int> begun{0};
    std::jthread waiter([&] {
        for (int round = 0; round < rounds; ++round) {
            ++begun;
            if (wait(cell, 0, 20us) == WaitResult::ok) ++oks;
        }
        begun = rounds + 1;
    });

    int counted = 0;
    while (begun.load() <= rounds) counted += static_cast<int>(notify(cell));
    waiter.join();

    EXPECT_EQ(counted, oks.load());
}

TEST(Timeout, KeepsWaitersWithoutDeadlineQueued) {
    EventLoop loop;
    std::atomic<int> cell{0};
    const auto untimed = wait_async(cell, 0).promise();
    auto timed = short_wait(cell).promise;

    EXPECT_EQ(loop.run_until(timed), WaitResult::timed_out);

    EXPECT_EQ(waiting_at(cell), 1u);
    EXPECT_FALSE(untimed.is_settled());
}

TEST(Timeout, IsNotDelayedByWaitersWithoutDeadline) {
    std::atomic<int> cell{0};
    std::jthread untimed([&] { EXPECT_EQ(wait(cell, 0), WaitResult::ok); });
    until_waiting(cell, 1);

    EXPECT_EQ(wait(cell, 0, 1ms), WaitResult::timed_out);

    EXPECT_EQ(notify(cell), 1u);
}

}  // namespace
