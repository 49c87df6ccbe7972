// SPDX-License-Identifier: MIT
#include <futon/sync/semaphore.hpp>

#include <memory>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::Promise;
using futon::Semaphore;
using futon::WaitResult;
using futon::test::until_waiting;
using futon::test::waiting_at;

TEST(Semaphore, GivesAsManyPermitsAsItHas) {
    Semaphore semaphore(3);
    EXPECT_TRUE(semaphore.try_acquire(2));
    EXPECT_FALSE(semaphore.try_acquire(2));
    EXPECT_EQ(semaphore.acquire(1, 0ms), WaitResult::ok);
    EXPECT_FALSE(semaphore.try_acquire());
    semaphore.release(2);
    EXPECT_EQ(semaphore.available(), 2U);
}

TEST(Semaphore, WakesThreadsInTheOrderOfTheQueue) {
    for (const auto fairness : {futon::Fairness::strict, futon::Fairness::bounded}) {
        Semaphore semaphore(0, fairness);
        std::vector<int> order;
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&, i] {
                semaphore.acquire();
                order.push_back(i);  // one at a time has the permit
                semaphore.release();
            });
            until_waiting(semaphore, static_cast<std::size_t>(i) + 1);
        }
        semaphore.release();
        threads.clear();
        EXPECT_EQ(order, (std::vector{0, 1, 2, 3}));
    }
}

TEST(Semaphore, ASmallRequestInTheQueueDoesNotOvertakeABigOne) {
    EventLoop loop(futon::CanBlock::yes);
    Semaphore semaphore;
    auto big = std::make_unique<Promise<Semaphore::Permits>>(futon::promise_of(semaphore.scoped_acquiring(3)));
    auto small = futon::promise_of(semaphore.acquiring(1));
    semaphore.release(2);
    loop.poll();
    EXPECT_EQ(waiting_at(semaphore), 2U);
    EXPECT_EQ(semaphore.available(), 2U);

    big.reset();  // leaves the queue
    EXPECT_EQ(loop.run_until(small), WaitResult::ok);
    EXPECT_EQ(semaphore.available(), 1U);
}

TEST(Semaphore, SmallRequestsDoNotOvertakeABigOneForEver) {
    Semaphore semaphore(2);
    ASSERT_TRUE(semaphore.try_acquire(2));
    std::jthread big([&] { semaphore.acquire(2); });
    until_waiting(semaphore, 1);
    futon::test::until_handoff_is_due();
    semaphore.release();
    EXPECT_EQ(semaphore.available(), 1U);
    const bool is_overtaken = semaphore.try_acquire() || semaphore.acquire(1, 0ms) == WaitResult::ok;
    EXPECT_FALSE(is_overtaken);  // what there is is kept for the big one
    semaphore.release(is_overtaken ? 2 : 1);
    big.join();
    EXPECT_EQ(semaphore.available(), 0U);
}

TEST(Semaphore, AReadyPermitBeatsADeadlineAndAStopThatHaveCome) {
    EventLoop loop(futon::CanBlock::yes);
    Semaphore semaphore(4);
    std::stop_source stopped;
    stopped.request_stop();
    EXPECT_EQ(semaphore.acquire(1, {0ms, stopped.get_token()}), WaitResult::ok);
    EXPECT_EQ(semaphore.acquire(stopped.get_token()), WaitResult::ok);
    const auto wait = [&]() -> Promise<WaitResult> {
        co_return co_await semaphore.acquire_async({0ms, stopped.get_token()});
    };
    EXPECT_EQ(loop.run_until(wait()), WaitResult::ok);
    EXPECT_TRUE(semaphore.try_acquire_for(0ms));
    EXPECT_EQ(semaphore.acquire(1, 0ms), WaitResult::timed_out);
    EXPECT_EQ(semaphore.acquire(1, {10s, stopped.get_token()}), WaitResult::cancelled);
    EXPECT_EQ(loop.run_until(wait()), WaitResult::cancelled);
}

TEST(Semaphore, AnAgentThatMayNotBlockIsRefusedAlsoWhereNothingIsToBeWaitedFor) {
    EventLoop loop;
    Semaphore semaphore(1);
    EXPECT_THROW(semaphore.acquire(), futon::BlockingForbidden);
    EXPECT_THROW((void)semaphore.scoped_acquire(0ms), futon::BlockingForbidden);
    EXPECT_TRUE(semaphore.try_acquire());
}

TEST(Semaphore, ServesACoroutineAPromiseAndASelect) {
    EventLoop loop;
    Semaphore semaphore;
    const auto coroutine = [&]() -> Promise<std::uint32_t> {
        const auto permits = co_await semaphore.scoped_acquire_async(2, 10s);
        co_return permits.count();
    };
    auto two = coroutine();
    auto one = futon::promise_of(semaphore.acquiring(), 10s);
    const auto selecting = [&]() -> Promise<std::size_t> {
        auto chosen = co_await futon::select_async(semaphore.scoped_acquiring(), futon::timeout(10s));
        co_return chosen.index();
    };
    auto selected = selecting();
    EXPECT_EQ(waiting_at(semaphore), 3U);
    std::jthread releaser([&] { semaphore.release(2); });
    EXPECT_EQ(loop.run_until(two), 2U);
    EXPECT_EQ(loop.run_until(one), WaitResult::ok);
    EXPECT_EQ(loop.run_until(selected), 0U);
    EXPECT_EQ(semaphore.available(), 1U);
}

TEST(Semaphore, ALoopThatEndsGivesBackWhatItsTasksHadGot) {
    Semaphore semaphore(0, futon::Fairness::strict);
    {
        EventLoop loop;
        auto promise = futon::promise_of(semaphore.scoped_acquiring(2));
        semaphore.release(2);
    }
    EXPECT_EQ(semaphore.available(), 2U);
    EXPECT_EQ(waiting_at(semaphore), 0U);
    EXPECT_TRUE(semaphore.try_acquire(2));
}

TEST(Semaphore, AThreadDoesNotWaitForALoopThatDoesNotRun) {
    for (const auto fairness : {futon::Fairness::strict, futon::Fairness::bounded}) {
        EventLoop loop(futon::CanBlock::yes);
        Semaphore semaphore(0, fairness);
        auto promise = futon::promise_of(semaphore.acquiring());
        std::jthread behind([&] {
            semaphore.acquire();
            semaphore.release();
        });
        until_waiting(semaphore, 2);
        futon::test::until_handoff_is_due();
        semaphore.release();
        behind.join();  // while the loop does not run
        EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
    }
}

TEST(Semaphore, WhatIsOfferedToATaskIsItsOwnForTheThreshold) {
    EventLoop loop;
    Semaphore semaphore(0, futon::Fairness::strict);
    auto promise = futon::promise_of(semaphore.acquiring());
    const auto before = std::chrono::steady_clock::now();
    semaphore.release();
    const bool is_taken = semaphore.try_acquire();
    if (std::chrono::steady_clock::now() - before < Semaphore::handoff_threshold) {
        EXPECT_FALSE(is_taken);
    }
    if (is_taken) semaphore.release();
    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(Semaphore, PermitsAreReleasedAtTheEndOfTheirScope) {
    Semaphore semaphore(3);
    {
        auto permits = semaphore.scoped_acquire(2);
        EXPECT_EQ(semaphore.available(), 1U);
        Semaphore::Permits moved = std::move(permits);
        EXPECT_FALSE(permits);  // NOLINT(bugprone-use-after-move)
        permits = semaphore.scoped_acquire();
        EXPECT_EQ(permits.detach(), 1U);
    }
    EXPECT_EQ(semaphore.available(), 2U);
    const auto none = semaphore.scoped_acquire(3, 0ms);
    EXPECT_FALSE(none);
    EXPECT_EQ(none.result(), WaitResult::timed_out);
}

TEST(Semaphore, MisuseThrowsAndChangesNothing) {
    Semaphore semaphore(Semaphore::max() - 1);
    semaphore.release();
    EXPECT_THROW(semaphore.release(), std::system_error);
    EXPECT_THROW(semaphore.release(Semaphore::max()), std::system_error);
    EXPECT_EQ(semaphore.available(), Semaphore::max());
    EXPECT_THROW(semaphore.try_acquire(0), std::invalid_argument);
    EXPECT_THROW(semaphore.acquire(Semaphore::max() + 1), std::invalid_argument);
    EXPECT_THROW((void)semaphore.acquiring(0), std::invalid_argument);
    EXPECT_THROW(Semaphore(Semaphore::max() + 1), std::system_error);
    EXPECT_EQ(semaphore.available(), Semaphore::max());
}

TEST(Semaphore, TheWaiterMayDestroyItWhenItHasItsPermit) {
    for (int i = 0; i < 200; ++i) {
        auto semaphore = std::make_unique<Semaphore>();
        std::jthread releaser([&semaphore = *semaphore] { semaphore.release(); });
        semaphore->acquire();
        semaphore.reset();
    }
}

TEST(Semaphore, PermitsArePutBackBeforeTheEndOfTheirScope) {
    Semaphore semaphore(2);
    auto permits = semaphore.scoped_acquire(2);
    permits.put_back();
    EXPECT_FALSE(permits);
    permits.put_back();
    EXPECT_EQ(semaphore.available(), 2U);
}

}  // namespace
