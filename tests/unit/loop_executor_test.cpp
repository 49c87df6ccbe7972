// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <futon/core/loop/loop_executor.hpp>
#include <futon/futon.hpp>

#include "support/coroutines.hpp"
#include "support/gtest.hpp"
#include "support/waiting.hpp"
#include "support/waiting_coroutines.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using futon::AsyncLock;
using futon::notify;
using futon::TimerHandle;
using futon::wait_async;
using futon::WaitResult;
using futon::core::LoopExecutor;
using futon::test::lock_owned;
using futon::test::OwnedCoroutine;
using futon::test::until_after;
using futon::test::waiting_at;

constexpr Clock::time_point now_at_once = Clock::time_point::min();
constexpr Clock::time_point no_deadline = Clock::time_point::max();

/// An executor whose host counts how often it is woken.
class LoopExecutorTest : public testing::Test {
protected:
    template <class F>
    void post_from_another_thread(F f) {
        std::thread([&] { executor->post(f); }).join();
    }

    /// Runs until nothing is left, as a host does that wakes by itself.
    void poll_all() {
        while (executor->poll()) {
        }
    }

    std::atomic<int> wakes{0};
    std::optional<LoopExecutor> executor{std::in_place, [this]() noexcept { ++wakes; }};
};

TEST_F(LoopExecutorTest, DoesNotWakeItsHostBeforeThereIsAnything) {
    EXPECT_EQ(wakes, 0);
    EXPECT_EQ(executor->next_deadline(), no_deadline);
    EXPECT_FALSE(executor->has_work());
}

TEST_F(LoopExecutorTest, WakesItsHostForAPostOfAnotherThread) {
    post_from_another_thread([] {});

    EXPECT_EQ(wakes, 1);
}

TEST_F(LoopExecutorTest, WakesItsHostOnceForManyPosts) {
    for (int i = 0; i < 100; ++i) post_from_another_thread([] {});

    EXPECT_EQ(wakes, 1);
}

TEST_F(LoopExecutorTest, WakesItsHostAgainAfterAPoll) {
    post_from_another_thread([] {});
    executor->poll();

    post_from_another_thread([] {});

    EXPECT_EQ(wakes, 2);
}

TEST_F(LoopExecutorTest, WakesItsHostForAPostOfItsOwnThread) {
    executor->post([] {});

    EXPECT_EQ(wakes, 1);
}

TEST_F(LoopExecutorTest, WakesItsHostForWhatAJobPosts) {
    executor->post([&] { executor->post([] {}); });
    wakes = 0;

    executor->poll();

    EXPECT_EQ(wakes, 1);
    EXPECT_EQ(executor->next_deadline(), now_at_once);
}

TEST_F(LoopExecutorTest, WakesItsHostForNothingOnceAllHasRun) {
    executor->post([] {});
    wakes = 0;

    executor->poll();

    EXPECT_EQ(wakes, 0);
    EXPECT_EQ(executor->next_deadline(), no_deadline);
}

TEST_F(LoopExecutorTest, RunsJobsInFifoOrder) {
    std::vector<int> order;
    executor->post([&] { order.push_back(0); });
    post_from_another_thread([&] { order.push_back(1); });
    executor->post([&] { order.push_back(2); });

    EXPECT_TRUE(executor->poll());

    EXPECT_EQ(order, (std::vector{0, 1, 2}));
}

TEST_F(LoopExecutorTest, LeavesWhatAJobPostsForTheNextPoll) {
    int runs = 0;
    executor->post([&] {
        ++runs;
        executor->post([&] { ++runs; });
    });

    executor->poll();
    EXPECT_EQ(runs, 1);
    executor->poll();

    EXPECT_EQ(runs, 2);
}

TEST_F(LoopExecutorTest, PollOneRunsOneJobAndWakesItsHostForTheOthers) {
    std::vector<int> order;
    for (int i = 0; i < 3; ++i) executor->post([&order, i] { order.push_back(i); });
    wakes = 0;

    EXPECT_TRUE(executor->poll_one());
    EXPECT_EQ(order, std::vector{0});
    EXPECT_EQ(wakes, 1);
    EXPECT_EQ(executor->next_deadline(), now_at_once);
    EXPECT_TRUE(executor->poll_one());
    EXPECT_TRUE(executor->poll_one());
    EXPECT_EQ(order, (std::vector{0, 1, 2}));
    EXPECT_FALSE(executor->poll_one());
}

TEST_F(LoopExecutorTest, APollEndsWithTheJobInWhichItsTimeIsOver) {
    int jobs = 0;
    for (int i = 0; i < 3; ++i)
        executor->post([&] {
            ++jobs;
            until_after(Clock::now() + 2ms);
        });

    EXPECT_TRUE(executor->poll(1ms));
    EXPECT_EQ(jobs, 1);
    EXPECT_TRUE(executor->poll(24h));
    EXPECT_EQ(jobs, 3);
}

TEST_F(LoopExecutorTest, ShortJobsDoNotLetAPollForgetItsTime) {
    int slow = 0;
    for (int i = 0; i < 31; ++i) executor->post([] {});
    for (int i = 0; i < 4; ++i)
        executor->post([&] {
            ++slow;
            until_after(Clock::now() + 6ms);
        });

    executor->poll(5ms);

    EXPECT_LE(slow, 1);
}

TEST_F(LoopExecutorTest, APollOfLittleTimeLeavesNeitherTimersNorJobsBehind) {
    int jobs = 0;
    int timers = 0;
    for (int i = 0; i < 4; ++i) {
        executor->post([&] { ++jobs; });
        executor->post_after(0s, [&] { ++timers; });
    }
    for (int i = 0; i < 8; ++i) EXPECT_TRUE(executor->poll_one());

    EXPECT_EQ(jobs, 4);
    EXPECT_EQ(timers, 4);
    EXPECT_FALSE(executor->poll_one());
}

TEST_F(LoopExecutorTest, TimersAndJobsAlternateWherePollsAreShort) {
    std::string order;
    for (int i = 0; i < 3; ++i) {
        executor->post([&] { order += 'j'; });
        executor->post_after(0s, [&] { order += 't'; });
    }
    while (executor->next_deadline() > Clock::now()) {
    }
    while (executor->poll_one()) {
    }

    EXPECT_EQ(order, "tjtjtj");
}

TEST_F(LoopExecutorTest, RunsWhatATimerPostsInTheSamePoll) {
    std::string order;
    const auto deadline = Clock::now() + 1ms;
    executor->post_at(deadline, [&] {
        order += "timer ";
        executor->post([&] { order += "its job "; });
    });
    until_after(deadline + 1ms);
    executor->post([&] {
        order += "job ";
        executor->post([&] { order += "never "; });
    });

    executor->poll();

    EXPECT_EQ(order, "timer job its job ");
}

TEST_F(LoopExecutorTest, PollReturnsWhetherThereWasAnythingToRun) {
    EXPECT_FALSE(executor->poll());
    executor->post([] {});

    EXPECT_TRUE(executor->poll());
    EXPECT_FALSE(executor->poll());
}

TEST_F(LoopExecutorTest, FiresATimerOnceItIsDue) {
    bool has_run = false;
    const auto deadline = Clock::now() + 2ms;
    executor->post_at(deadline, [&] { has_run = true; });

    executor->poll();
    const bool ran_early = has_run && Clock::now() < deadline;
    until_after(deadline + 1ms);
    executor->poll();

    EXPECT_FALSE(ran_early);
    EXPECT_TRUE(has_run);
}

TEST_F(LoopExecutorTest, NextDeadlineIsNoLaterThanThatOfItsTimers) {
    const auto deadline = Clock::now() + 1h;
    executor->post_at(deadline + 1h, [] {});
    executor->post_at(deadline, [] {});

    EXPECT_LE(executor->next_deadline(), deadline);
    EXPECT_GT(executor->next_deadline(), Clock::now());
}

TEST_F(LoopExecutorTest, AHostThatSleepsUntilTheNextDeadlineFiresAllTimers) {
    int runs = 0;
    for (const auto delay : {3ms, 1ms, 2ms}) executor->post_after(delay, [&] { ++runs; });

    while (executor->has_work()) {
        std::this_thread::sleep_until(executor->next_deadline());
        executor->poll();
    }

    EXPECT_EQ(runs, 3);
    EXPECT_EQ(executor->next_deadline(), no_deadline);
}

TEST_F(LoopExecutorTest, WakesItsHostForAnEarlierTimerThatIsArmedOutsideOfPoll) {
    executor->post_after(1h, [] {});
    const auto before = executor->next_deadline();
    wakes = 0;

    executor->post_after(5ms, [] {});

    // Both may lie in one slot of the wheel, whose beginning the host sleeps for then.
    EXPECT_EQ(wakes, executor->next_deadline() < before ? 1 : 0);
}

TEST_F(LoopExecutorTest, DoesNotWakeItsHostForALaterTimer) {
    executor->post_after(1ms, [] {});
    wakes = 0;

    executor->post_after(24h, [] {});

    EXPECT_EQ(wakes, 0);
}

TEST_F(LoopExecutorTest, HasNoNextDeadlineOnceItsTimerIsCancelled) {
    TimerHandle handle = executor->post_after(1h, [] {});
    EXPECT_TRUE(executor->has_work());

    handle.cancel();

    EXPECT_EQ(executor->next_deadline(), no_deadline);
    EXPECT_FALSE(executor->has_work());
}

TEST_F(LoopExecutorTest, HasWorkWhileAJobOfItsOwnThreadIsPosted) {
    executor->post([] {});

    EXPECT_TRUE(executor->has_work());
    executor->poll();
    EXPECT_FALSE(executor->has_work());
}

TEST_F(LoopExecutorTest, HasWorkWhileAJobOfAnotherThreadIsPosted) {
    post_from_another_thread([] {});

    EXPECT_TRUE(executor->has_work());
}

TEST_F(LoopExecutorTest, HasWorkWhileAWaitIsPending) {
    std::atomic<int> word{0};
    auto promise = wait_async(word, 0).promise();
    EXPECT_TRUE(executor->has_work());

    promise.unref();

    EXPECT_FALSE(executor->has_work());
}

TEST_F(LoopExecutorTest, TheDeadlineOfAnUnrefdWaitIsNoWork) {
    std::atomic<int> word{0};
    auto promise = wait_async(word, 0, 1h).promise();

    promise.unref();

    EXPECT_FALSE(executor->has_work());
}

TEST_F(LoopExecutorTest, SettlesAWaitThatAnotherThreadNotifies) {
    std::atomic<int> word{0};
    const auto promise = wait_async(word, 0).promise();

    std::thread([&] { notify(word); }).join();
    EXPECT_EQ(wakes, 1);
    poll_all();

    EXPECT_TRUE(promise.is_settled());
}

TEST_F(LoopExecutorTest, EndsAWaitAtItsDeadline) {
    std::atomic<int> word{0};
    const auto deadline = Clock::now() + 1ms;
    futon::WaitAsyncResult answer = wait_async(word, 0, deadline);
    until_after(deadline + 1ms);

    poll_all();

    EXPECT_TRUE(!answer.async() || answer.promise().is_settled());
    EXPECT_EQ(waiting_at(word), 0u);
}

TEST_F(LoopExecutorTest, ADeadlineEndsTheWaitOfACoroutineInOnePoll) {
    futon::Event event;
    std::optional<WaitResult> result;
    const auto deadline = Clock::now() + 1ms;
    const futon::test::OwnedCoroutine waiting = futon::test::wait_owned(event, result, deadline);
    until_after(deadline + 1ms);

    executor->poll(1h);

    EXPECT_EQ(result, WaitResult::timed_out);
}

TEST_F(LoopExecutorTest, RetractsTheWakeUpOfACoroutineThatIsDestroyed) {
    AsyncLock lock;
    lock.try_lock();
    std::optional<WaitResult> result;
    OwnedCoroutine coroutine = lock_owned(lock, result);
    std::thread([&] { lock.unlock(); }).join();

    coroutine.destroy();
    poll_all();

    EXPECT_FALSE(result.has_value());
    EXPECT_TRUE(lock.try_lock());
}

TEST_F(LoopExecutorTest, RetractsAmongJobsThatStillRun) {
    AsyncLock lock;
    lock.try_lock();
    std::optional<WaitResult> result;
    std::vector<int> order;
    OwnedCoroutine coroutine = lock_owned(lock, result);
    executor->post([&] { order.push_back(0); });
    std::thread([&] { lock.unlock(); }).join();
    executor->post([&] { order.push_back(1); });
    wakes = 0;

    coroutine.destroy();
    EXPECT_GE(wakes, 1);  // for what stays
    poll_all();

    EXPECT_EQ(order, (std::vector{0, 1}));
}

TEST(LoopExecutor, RefusesAnEmptyWake) {
    EXPECT_THROW(futon::core::LoopExecutor(std::function<void()>()), std::invalid_argument);
}

}  // namespace
