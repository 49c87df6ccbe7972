// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <cstddef>
#include <random>
#include <stop_token>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::everyone;
using futon::notify;
using futon::Promise;
using futon::wait;
using futon::wait_async;
using futon::WaitResult;
using futon::test::until;
using futon::test::until_waiting;
using futon::test::waiting_at;

/// Queues `length` promises at one word.
std::vector<Promise<WaitResult>> queue_promises(std::atomic<int>& cell, int length) {
    std::vector<Promise<WaitResult>> queue;
    for (int i = 0; i < length; ++i) queue.push_back(wait_async(cell, cell.load()).promise());
    return queue;
}

std::vector<bool> settled(const std::vector<Promise<WaitResult>>& queue) {
    std::vector<bool> result;
    for (const auto& promise : queue) result.push_back(promise.is_settled());
    return result;
}

TEST(Notify, WakesNoWaiterWithACountOfZero) {
    EventLoop loop;
    std::atomic<int> cell{0};
    const auto queue = queue_promises(cell, 3);

    EXPECT_EQ(notify(cell, 0), 0u);

    EXPECT_EQ(waiting_at(cell), 3u);
}

TEST(Notify, WakesTheFirstWaiterWithACountOfOne) {
    EventLoop loop;
    std::atomic<int> cell{0};
    const auto queue = queue_promises(cell, 3);

    const std::size_t woken = notify(cell, 1);
    loop.poll();

    EXPECT_EQ(woken, 1u);
    EXPECT_EQ(settled(queue), (std::vector{true, false, false}));
}

TEST(Notify, WakesTheFirstWaitersUpToItsCount) {
    EventLoop loop;
    std::atomic<int> cell{0};
    const auto queue = queue_promises(cell, 5);

    const std::size_t woken = notify(cell, 3);
    loop.poll();

    EXPECT_EQ(woken, 3u);
    EXPECT_EQ(settled(queue), (std::vector{true, true, true, false, false}));
}

TEST(Notify, WakesAllWaitersWithoutACount) {
    EventLoop loop;
    std::atomic<int> cell{0};
    const auto queue = queue_promises(cell, 5);

    EXPECT_EQ(notify(cell), 5u);

    EXPECT_EQ(waiting_at(cell), 0u);
}

TEST(Notify, WakesAllWaitersWithACountOfMore) {
    EventLoop loop;
    std::atomic<int> cell{0};
    const auto queue = queue_promises(cell, 5);

    EXPECT_EQ(notify(cell, 6), 5u);
}

TEST(Notify, WakesAllWaitersWithACountOfAll) {
    EventLoop loop;
    std::atomic<int> cell{0};
    const auto queue = queue_promises(cell, 5);

    EXPECT_EQ(notify(cell, 5), 5u);

    EXPECT_EQ(notify(cell, everyone), 0u);
}

TEST(Notify, ReturnsZeroWithoutWaiters) {
    std::atomic<int> cell{0};

    EXPECT_EQ(notify(cell), 0u);
}

TEST(Notify, DoesNotWakeALaterWait) {
    std::atomic<int> cell{0};
    notify(cell);

    EXPECT_EQ(wait(cell, 0, 1ms), WaitResult::timed_out);
}

TEST(Notify, ChangesNoMemory) {
    EventLoop loop;
    std::atomic<int> cell{7};
    const auto queue = queue_promises(cell, 2);

    notify(cell);

    EXPECT_EQ(cell.load(), 7);
}

TEST(Notify, WorksFromAnAgentThatMayNotBlock) {
    std::atomic<int> cell{0};
    const std::jthread waiter([&] { EXPECT_EQ(wait(cell, 0), WaitResult::ok); });
    until_waiting(cell, 1);
    const futon::Agent main_thread(futon::CanBlock::no);

    EXPECT_EQ(notify(cell), 1u);
}

TEST(Notify, CountsOnlyWaitersQueuedAtTheCall) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto first = wait_async(cell, 0).promise();
    bool has_waited_again = false;
    static_cast<void>(first.then([&](WaitResult) {
        static_cast<void>(wait_async(cell, 0).promise().then([](WaitResult) {}));
        has_waited_again = true;
    }));

    const std::size_t woken = notify(cell);
    loop.run_until(first);

    EXPECT_EQ(woken, 1u);
    EXPECT_TRUE(has_waited_again);
    EXPECT_EQ(waiting_at(cell), 1u);
}

TEST(Notify, WakesThreadsAndPromisesInFifoOrder) {
    constexpr int length = 8;
    EventLoop loop;
    std::atomic<int> cell{0};
    std::vector<int> order;
    std::vector<std::jthread> threads;
    for (int i = 0; i < length; ++i) {
        if (i % 2 == 0) {
            threads.emplace_back([&, i] {
                EXPECT_EQ(wait(cell, 0), WaitResult::ok);
                loop.post([&, i] { order.push_back(i); });
            });
        } else {
            static_cast<void>(wait_async(cell, 0).promise().then([&, i](WaitResult) { order.push_back(i); }));
        }
        until_waiting(cell, static_cast<std::size_t>(i) + 1);
    }

    for (std::size_t i = 0; i < length; ++i) {
        EXPECT_EQ(notify(cell, 1), 1u);
        until([&] {
            loop.poll();
            return order.size() == i + 1;
        });
    }

    EXPECT_EQ(order, (std::vector{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(Notify, CountIncludesThreadsAndPromises) {
    EventLoop loop;
    std::atomic<int> cell{0};
    std::atomic<int> threads_woken{0};
    std::vector<Promise<WaitResult>> promises;
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < 6; i += 2) {
        threads.emplace_back([&] {
            wait(cell, 0);
            ++threads_woken;
        });
        until_waiting(cell, i + 1);
        promises.push_back(wait_async(cell, 0).promise());
    }

    EXPECT_EQ(notify(cell, 3), 3u);
    until([&] { return threads_woken.load() == 2; });
    loop.poll();

    EXPECT_EQ(settled(promises), (std::vector{true, false, false}));
    EXPECT_EQ(notify(cell), 3u);
}

TEST(Notify, KeepsFifoOrderWhenWaitersInTheMiddleAreCancelled) {
    EventLoop loop;
    std::atomic<int> cell{0};
    std::stop_source source;
    std::vector<int> order;
    for (int i = 0; i < 5; ++i) {
        const auto token = i % 2 == 1 ? source.get_token() : std::stop_token{};
        static_cast<void>(wait_async(cell, 0, token).promise().then([&, i](WaitResult result) {
            if (result == WaitResult::ok) order.push_back(i);
        }));
    }

    source.request_stop();
    const std::size_t woken = notify(cell);
    loop.run();

    EXPECT_EQ(woken, 3u);
    EXPECT_EQ(order, (std::vector{0, 2, 4}));
}

TEST(Notify, TotalCountEqualsTheNumberOfOkResultsUnderRaces) {
    constexpr int rounds = 300;
    std::atomic<int> cell{0};
    std::atomic<std::size_t> counted{0};
    std::atomic<std::size_t> oks{0};
    std::atomic<bool> is_over{false};
    std::jthread notifier([&] {
        while (!is_over) counted += notify(cell, 2);
    });
    std::vector<std::jthread> waiters;
    for (unsigned seed = 0; seed < 3; ++seed) {
        waiters.emplace_back([&, seed] {
            std::minstd_rand random(seed + 1);
            for (int round = 0; round < rounds; ++round) {
                std::stop_source source;
                const std::jthread canceller([&] { source.request_stop(); });
                const auto timeout = std::chrono::microseconds(random() % 200);
                if (wait(cell, 0, {timeout, source.get_token()}) == WaitResult::ok) ++oks;
            }
        });
    }
    EventLoop loop;
    const auto wait_ok = [&](std::chrono::microseconds timeout) -> Promise<void> {
        if (co_await wait_async(cell, 0, timeout) == WaitResult::ok) ++oks;
    };
    std::minstd_rand random(7);
    for (int round = 0; round < rounds * 3; ++round) {
        const auto timeout = std::chrono::microseconds(random() % 200);
        static_cast<void>(wait_ok(timeout));
        loop.poll();
    }
    loop.run();
    waiters.clear();
    is_over = true;
    notifier.join();

    EXPECT_EQ(counted.load(), oks.load());
}

}  // namespace
