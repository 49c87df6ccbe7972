// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <stop_token>
#include <thread>

#include <gtest/gtest.h>

#include <futon/futon.hpp>

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

TEST(Timeout, LetsAPromisePastItsDeadlineBeNotifiedWhileItIsInLine) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto [moment, promise] = short_wait(cell);
    until_after(moment + 100us);

    const std::size_t woken = notify(cell);

    EXPECT_EQ(woken, 1u);
    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(Timeout, DoesNotCountAPromiseThatTimedOut) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto promise = short_wait(cell).promise;
    EXPECT_EQ(loop.run_until(promise), WaitResult::timed_out);

    EXPECT_EQ(notify(cell), 0u);
}

TEST(Timeout, DoesNotCountAThreadThatTimedOut) {
    std::atomic<int> cell{0};
    EXPECT_EQ(wait(cell, 0, 1ms), WaitResult::timed_out);

    EXPECT_EQ(notify(cell), 0u);
}

TEST(Timeout, DoesNotCountWhoWasCancelled) {
    EventLoop loop;
    std::atomic<int> cell{0};
    std::stop_source source;
    auto promise = wait_async(cell, 0, 1h, source.get_token()).promise();
    source.request_stop();

    EXPECT_EQ(notify(cell), 0u);
    EXPECT_EQ(loop.run_until(promise), WaitResult::cancelled);
}

TEST(Timeout, DoesNothingToAPromiseThatWasNotifiedBefore) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto [moment, promise] = short_wait(cell);
    notify(cell);
    until_after(moment + 100us);

    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(Timeout, DoesNothingToAPromiseThatWasCancelledBefore) {
    EventLoop loop;
    std::atomic<int> cell{0};
    std::stop_source source;
    auto [moment, promise] = short_wait(cell, source.get_token());
    source.request_stop();
    until_after(moment + 100us);

    EXPECT_EQ(loop.run_until(promise), WaitResult::cancelled);
}

TEST(Timeout, DecidesWithANotifyOverAThreadExactlyOnce) {
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

TEST(Timeout, LeavesThoseInLineWhoHaveNone) {
    EventLoop loop;
    std::atomic<int> cell{0};
    const auto patient = wait_async(cell, 0).promise();
    auto impatient = short_wait(cell).promise;

    EXPECT_EQ(loop.run_until(impatient), WaitResult::timed_out);

    EXPECT_EQ(waiting_at(cell), 1u);
    EXPECT_FALSE(patient.is_settled());
}

TEST(Timeout, OfABlockedThreadIsNotDelayedByABlockedLine) {
    std::atomic<int> cell{0};
    std::jthread patient([&] { EXPECT_EQ(wait(cell, 0), WaitResult::ok); });
    until_waiting(cell, 1);

    EXPECT_EQ(wait(cell, 0, 1ms), WaitResult::timed_out);

    EXPECT_EQ(notify(cell), 1u);
}

}  // namespace
