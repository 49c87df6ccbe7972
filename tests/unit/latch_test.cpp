// SPDX-License-Identifier: MIT
#include <chrono>
#include <memory>
#include <new>
#include <stdexcept>
#include <stop_token>
#include <thread>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::CanBlock;
using futon::EventLoop;
using futon::Latch;
using futon::Promise;
using futon::promise_of;
using futon::WaitResult;
using futon::test::until_waiting;
using futon::test::waiting_at;

TEST(Latch, IsOpenAtZeroAndStaysOpen) {
    Latch latch(3);
    latch.count_down();
    EXPECT_FALSE(latch.try_wait());
    EXPECT_EQ(latch.wait(1ms), WaitResult::timed_out);
    latch.count_down(2);
    EXPECT_TRUE(latch.try_wait());
    EXPECT_EQ(latch.wait(), WaitResult::ok);
    latch.count_down(0);
    EXPECT_TRUE(latch.try_wait());
    EXPECT_TRUE(Latch(0).try_wait());
}

TEST(Latch, RefusesToCountBelowZeroAndKeepsItsCount) {
    Latch latch(2);

    EXPECT_THROW(latch.count_down(3), std::logic_error);
    EXPECT_FALSE(latch.try_wait());
    latch.count_down(2);
    EXPECT_THROW(latch.count_down(), std::logic_error);
    EXPECT_THROW(static_cast<void>(latch.arrive_and_wait()), std::logic_error);
    EXPECT_TRUE(latch.try_wait());
}

TEST(Latch, RefusesToCountBelowZeroWhileAWaiterIsQueued) {
    EventLoop loop;
    Latch latch(2);
    auto promise = promise_of(latch.waiting());

    EXPECT_THROW(latch.count_down(Latch::max()), std::logic_error);
    EXPECT_EQ(waiting_at(latch), 1u);
    latch.count_down();
    EXPECT_EQ(waiting_at(latch), 1u);
    latch.count_down();

    EXPECT_EQ(loop.run_until(promise), WaitResult::ok);
}

TEST(Latch, RefusesACountThatIsTooLarge) {
    EXPECT_THROW(Latch(Latch::max() + 1), std::invalid_argument);
    Latch latch(Latch::max());
    latch.count_down(Latch::max());
    EXPECT_TRUE(latch.try_wait());
}

TEST(Latch, LetsThreadsAndTasksArriveAndWait) {
    EventLoop loop;
    Latch latch(4);
    auto arrive = [&](std::uint32_t n) -> Promise<WaitResult> { co_return co_await latch.arrive_and_wait_async(n); };
    auto first = arrive(2);
    EXPECT_FALSE(first.is_settled());
    {
        WaitResult blocked = WaitResult::timed_out;
        std::jthread thread([&] { blocked = latch.arrive_and_wait(); });
        until_waiting(latch, 2);

        const auto last = arrive(1);

        EXPECT_TRUE(last.is_settled());
        thread.join();
        EXPECT_EQ(blocked, WaitResult::ok);
    }
    EXPECT_EQ(loop.run_until(first), WaitResult::ok);
}

TEST(Latch, CountsAnArrivalWhoseWaitIsNotAwaitedOrTimesOut) {
    EventLoop loop(CanBlock::yes);
    Latch latch(4);

    EXPECT_EQ(latch.arrive_and_wait(1, 1ms), WaitResult::timed_out);
    { [[maybe_unused]] const auto dropped = latch.arrive_and_wait_async(); }
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(latch.arrive_and_wait(1, stop.get_token()), WaitResult::cancelled);
    auto arrive = [&]() -> Promise<WaitResult> { co_return co_await latch.arrive_and_wait_async(1, stop.get_token()); };

    EXPECT_EQ(loop.run_until(arrive()), WaitResult::ok) << "the last opens it, whatever its limits";
    EXPECT_TRUE(latch.try_wait());
}

TEST(Latch, RefusesAnAgentThatMayNotBlockBeforeItCounts) {
    EventLoop loop;
    Latch latch(1);

    EXPECT_THROW(static_cast<void>(latch.arrive_and_wait()), futon::BlockingForbidden);
    EXPECT_FALSE(latch.try_wait());
}

TEST(Latch, RefusesAThreadWithoutAnExecutorBeforeItCounts) {
    Latch latch(1);

    EXPECT_THROW(static_cast<void>(latch.arrive_and_wait_async()), futon::NoExecutor);
    EXPECT_FALSE(latch.try_wait());
}

TEST(Latch, LiesInASharedArrayBuffer) {
    futon::SharedArrayBuffer buffer(8);
    EXPECT_TRUE(Latch::at(buffer, 4).try_wait());
    ::new (static_cast<void*>(buffer.data() + 4)) Latch(1);

    const std::jthread thread([buffer]() mutable { Latch::at(buffer, 4).count_down(); });

    EXPECT_EQ(Latch::at(buffer, 4).wait(), WaitResult::ok);
}

TEST(Latch, MayBeDestroyedByAWaiterWhileTheCountDownsReturn) {
    for (int i = 0; i < 200; ++i) {
        auto latch = std::make_unique<Latch>(2);
        const std::jthread a([&latch = *latch] { latch.count_down(); });
        const std::jthread b([&latch = *latch] { latch.count_down(); });
        if (i % 2 == 0) {
            EXPECT_EQ(latch->wait(), WaitResult::ok);
        } else {
            while (!latch->try_wait()) std::this_thread::yield();
        }
        std::destroy_at(latch.get());
        ::new (static_cast<void*>(latch.get())) Latch(1);
        EXPECT_FALSE(latch->try_wait());
    }
}

}  // namespace
