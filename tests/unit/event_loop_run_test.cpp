// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using futon::EventLoop;
using futon::notify;
using futon::wait_async;
using futon::WaitResult;
using futon::Word;
using futon::test::until;
using futon::test::until_after;

TEST(EventLoop, RunReturnsAtOnceWithoutWork) {
    EventLoop loop;

    loop.run();

    SUCCEED();
}

TEST(EventLoop, RunsPostedJobs) {
    EventLoop loop;
    bool has_run = false;
    loop.post([&] { has_run = true; });

    loop.run();

    EXPECT_TRUE(has_run);
}

TEST(EventLoop, PostDoesNotRunTheJob) {
    EventLoop loop;
    bool has_run = false;

    loop.post([&] { has_run = true; });

    EXPECT_FALSE(has_run);
}

TEST(EventLoop, RunsJobsPostedByJobs) {
    EventLoop loop;
    int depth = 0;
    std::function<void()> deeper = [&] {
        if (++depth < 1000) loop.post(deeper);
    };
    loop.post(deeper);

    loop.run();

    EXPECT_EQ(depth, 1000);
}

TEST(EventLoop, MayRunAgain) {
    EventLoop loop;
    int runs = 0;
    loop.post([&] { ++runs; });
    loop.run();
    loop.post([&] { ++runs; });

    loop.run();

    EXPECT_EQ(runs, 2);
}

TEST(EventLoop, RunsJobsOfOneThreadInFifoOrder) {
    EventLoop loop;
    std::vector<int> order;
    std::vector<int> expected;
    for (int i = 0; i < 1000; ++i) {
        loop.post([&, i] { order.push_back(i); });
        expected.push_back(i);
    }

    loop.run();

    EXPECT_EQ(order, expected);
}

TEST(EventLoop, RunsJobsOfEachOtherThreadInFifoOrder) {
    constexpr int threads = 4;
    constexpr int rounds = 2000;
    EventLoop loop;
    std::vector<std::vector<int>> orders(threads);
    std::vector<std::jthread> posters;
    int arrived = 0;
    for (std::size_t i = 0; i < threads; ++i) {
        posters.emplace_back([&, i] {
            for (int round = 0; round < rounds; ++round) {
                loop.post([&, i, round] {
                    orders[i].push_back(round);
                    ++arrived;
                });
            }
        });
    }

    while (arrived < threads * rounds) loop.poll();
    posters.clear();

    std::vector<int> expected;
    for (int round = 0; round < rounds; ++round) expected.push_back(round);
    for (const std::vector<int>& order : orders) EXPECT_EQ(order, expected);
}

TEST(EventLoop, IsWokenByAJobOfAnotherThread) {
    EventLoop loop;
    std::atomic<int> cell{0};
    const Word word(cell);
    auto promise = wait_async(word, 0).promise();
    std::jthread poster([&] { loop.post([&] { notify(word); }); });

    const WaitResult result = loop.run_until(promise);

    EXPECT_EQ(result, WaitResult::ok);
}

TEST(EventLoop, RunsWhileAWaitIsPending) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0).promise();
    std::jthread notifier([&] { until([&] { return notify(cell) == 1; }); });

    loop.run();

    EXPECT_TRUE(promise.is_settled());
}

TEST(EventLoop, RunReturnsWhileAnUnrefdWaitIsPending) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0).promise();
    promise.unref();

    loop.run();

    EXPECT_FALSE(promise.is_settled());
}

TEST(EventLoop, RunReturnsWhileAnUnrefdWaitHasADeadline) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0, 1h).promise();
    promise.unref();

    loop.run();

    EXPECT_FALSE(promise.is_settled());
}

TEST(EventLoop, SettlesAnUnrefdWait) {
    EventLoop loop;
    std::atomic<int> cell{0};
    auto promise = wait_async(cell, 0).promise();
    promise.unref();
    notify(cell);

    loop.run();

    EXPECT_TRUE(promise.is_settled());
}

TEST(EventLoop, UnrefIsIdempotent) {
    EventLoop loop;
    std::atomic<int> cell{0};
    std::atomic<int> other{0};
    auto unrefd = wait_async(cell, 0).promise();
    auto pending = wait_async(other, 0).promise();
    unrefd.unref();
    unrefd.unref();
    loop.post([&] { notify(other); });

    loop.run();

    EXPECT_TRUE(pending.is_settled());
}

TEST(EventLoop, RunReturnsOnceAPendingWaitIsDropped) {
    EventLoop loop;
    std::atomic<int> cell{0};
    { const auto promise = wait_async(cell, 0).promise(); }

    loop.run();

    SUCCEED();
}

TEST(EventLoop, PollDoesNotWait) {
    EventLoop loop;
    std::atomic<int> cell{0};
    const auto promise = wait_async(cell, 0).promise();

    const bool had_work = loop.poll();

    EXPECT_FALSE(had_work);
}

TEST(EventLoop, PollReturnsWhetherItHadWork) {
    EventLoop loop;
    loop.post([] {});

    const bool first = loop.poll();
    const bool second = loop.poll();

    EXPECT_TRUE(first);
    EXPECT_FALSE(second);
}

TEST(EventLoop, PollDefersJobsPostedByJobsToTheNextPoll) {
    EventLoop loop;
    int runs = 0;
    loop.post([&] {
        ++runs;
        loop.post([&] { ++runs; });
    });

    loop.poll();
    const int after_first = runs;
    loop.poll();

    EXPECT_EQ(after_first, 1);
    EXPECT_EQ(runs, 2);
}

TEST(EventLoop, PollFiresDueTimers) {
    EventLoop loop;
    bool has_fired = false;
    const auto deadline = Clock::now();
    loop.post_at(deadline, [&] { has_fired = true; });
    until_after(deadline + 10us);

    const bool had_work = loop.poll();

    EXPECT_TRUE(had_work);
    EXPECT_TRUE(has_fired);
}

}  // namespace
