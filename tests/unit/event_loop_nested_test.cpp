// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using futon::Agent;
using futon::EventLoop;
using futon::notify;
using futon::wait_async;
using futon::WaitResult;

TEST(EventLoop, RunMayBeCalledInsideAJob) {
    EventLoop loop;
    std::vector<int> order;
    loop.post([&] {
        order.push_back(1);
        loop.run();
        order.push_back(3);
    });
    loop.post([&] { order.push_back(2); });

    loop.run();

    EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

TEST(EventLoop, RunUntilMayBeCalledInsideAJob) {
    EventLoop loop;
    std::atomic<int> cell{0};
    WaitResult result = WaitResult::not_equal;
    loop.post([&] { result = loop.run_until(wait_async(cell, 0).promise()); });
    loop.post([&] { notify(cell); });

    loop.run();

    EXPECT_EQ(result, WaitResult::ok);
}

TEST(EventLoop, PollMayBeCalledInsideATimer) {
    using namespace std::chrono_literals;
    EventLoop loop;
    std::vector<int> order;
    loop.post_after(0ms, [&] {
        loop.post([&] { order.push_back(1); });
        loop.poll();
        order.push_back(2);
    });

    loop.run();

    EXPECT_EQ(order, (std::vector{1, 2}));
}

TEST(EventLoop, StopEndsTheInnermostRunOnly) {
    EventLoop loop;
    std::vector<int> order;
    loop.post([&] {
        loop.post([&] { loop.stop(); });
        loop.post([&] { order.push_back(2); });
        loop.run();
        order.push_back(1);
    });

    loop.run();

    EXPECT_EQ(order, (std::vector{1, 2}));
}

TEST(EventLoop, InnermostRunRethrowsAnException) {
    EventLoop loop;
    bool inner_run_threw = false;
    loop.post([&] {
        loop.post([] { throw std::runtime_error("broken"); });
        try {
            loop.run();
        } catch (const std::runtime_error&) {
            inner_run_threw = true;
        }
    });

    loop.run();

    EXPECT_TRUE(inner_run_threw);
}

TEST(EventLoop, IsTheCurrentAgentDuringItsLifetime) {
    Agent& before = Agent::current();

    {
        EventLoop loop;
        EXPECT_EQ(Agent::current().executor(), &loop);
        EXPECT_FALSE(Agent::current().can_block());
    }

    EXPECT_EQ(&Agent::current(), &before);
}

TEST(EventLoop, MayBlockWhenConstructedSo) {
    const EventLoop loop(futon::CanBlock::yes);

    EXPECT_TRUE(Agent::current().can_block());
}

TEST(EventLoop, NestsInAnotherLoop) {
    EventLoop outer;
    {
        EventLoop inner;
        EXPECT_EQ(Agent::current().executor(), &inner);
    }

    EXPECT_EQ(Agent::current().executor(), &outer);
}

TEST(EventLoop, InnerRunSettlesNoWaitOfTheOuterLoop) {
    EventLoop outer;
    std::atomic<int> cell{0};
    auto outer_promise = wait_async(cell, 0).promise();
    EventLoop inner;
    auto inner_promise = wait_async(cell, 0).promise();
    notify(cell);

    inner.run();
    const bool outer_settled_by_inner = outer_promise.is_settled();
    outer.run();

    EXPECT_TRUE(inner_promise.is_settled());
    EXPECT_FALSE(outer_settled_by_inner);
    EXPECT_TRUE(outer_promise.is_settled());
}

TEST(EventLoop, LeavesWaitersOfTheOuterLoopQueuedWhenDestroyed) {
    EventLoop outer;
    std::atomic<int> cell{0};
    auto outer_promise = wait_async(cell, 0).promise();
    {
        const EventLoop inner;
        static_cast<void>(wait_async(cell, 0).promise().then([](WaitResult) {}));
    }

    EXPECT_EQ(notify(cell), 1u);
    EXPECT_EQ(outer.run_until(outer_promise), WaitResult::ok);
}

// In a process of its own, because a use after destruction may crash it.
TEST(EventLoop, MayBeDestroyedWithAContinuationOfAnOuterPromise) {
    const auto destroy_then_settle = [] {
        EventLoop outer;
        std::atomic<int> cell{0};
        auto outer_promise = wait_async(cell, 0).promise();
        {
            const EventLoop inner;
            static_cast<void>(outer_promise.then([](WaitResult) {}));
        }
        notify(cell);
        std::exit(outer.run_until(outer_promise) == WaitResult::ok ? 0 : 1);
    };

    EXPECT_EXIT(destroy_then_settle(), testing::ExitedWithCode(0), "");
}

TEST(EventLoop, RunsOnManyThreadsAtOnce) {
    constexpr int threads = 4;
    std::atomic<int> cell{0};
    std::atomic<int> settled{0};
    std::vector<std::jthread> workers;
    for (int i = 0; i < threads; ++i) {
        workers.emplace_back([&] {
            EventLoop loop;
            if (loop.run_until(wait_async(cell, 0).promise()) == WaitResult::ok) ++settled;
        });
    }
    futon::test::until_waiting(cell, threads);

    const std::size_t woken = notify(cell);
    workers.clear();

    EXPECT_EQ(woken, 4u);
    EXPECT_EQ(settled.load(), threads);
}

}  // namespace
