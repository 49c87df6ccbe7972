// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"
#include "support/waiting_coroutines.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using futon::Agent;
using futon::AsyncLock;
using futon::EventLoop;
using futon::Job;
using futon::notify;
using futon::Promise;
using futon::Timer;
using futon::wait_async;
using futon::WaitResult;
using futon::test::lock_owned;
using futon::test::OwnedCoroutine;
using futon::test::until_after;

/// A loop of another library with timers, on one thread. It keeps its own account of which timers are armed.
class TimerExecutor final : public futon::Executor {
public:
    ~TimerExecutor() {
        while (!jobs_.empty()) take().discard();
    }

    void post(Job& job) noexcept override { jobs_.push_back(&job); }

    bool retract(Job& job) noexcept override { return std::erase(jobs_, &job) == 1; }

    bool keeps_timers() const noexcept override { return true; }

    void arm(Timer& timer, Clock::time_point deadline) noexcept override {
        ++armings;
        if (!is_armed(timer)) timers_.push_back({&timer, deadline});
    }

    void disarm(Timer& timer) noexcept override {
        ++disarmings;
        if (!is_armed(timer)) ++unarmed_disarmings;
        std::erase_if(timers_, [&](const Armed& armed) { return armed.timer == &timer; });
    }

    void work_started() noexcept override { ++work; }
    void work_finished() noexcept override { --work; }

    void run_all() {
        while (!jobs_.empty()) take().run();
    }

    /// Fires what is due.
    void fire_due() {
        while (true) {
            const auto now = Clock::now();
            const auto due =
                std::find_if(timers_.begin(), timers_.end(), [&](const Armed& armed) { return armed.deadline <= now; });
            if (due == timers_.end()) return;
            Timer& timer = *due->timer;
            timers_.erase(due);
            timer.fire();
        }
    }

    std::size_t armed() const { return timers_.size(); }

    int armings = 0;
    int disarmings = 0;
    int unarmed_disarmings = 0;  // of timers that were not armed
    int work = 0;

private:
    struct Armed {
        Timer* timer;
        Clock::time_point deadline;
    };

    bool is_armed(const Timer& timer) const {
        return std::any_of(timers_.begin(), timers_.end(), [&](const Armed& armed) { return armed.timer == &timer; });
    }

    Job& take() {
        Job& job = *jobs_.front();
        jobs_.pop_front();
        return job;
    }

    std::deque<Job*> jobs_;
    std::vector<Armed> timers_;
};

/// An executor and its agent. At the end of each test, every timer has been disarmed or has fired.
class ExecutorWithTimers : public testing::Test {
protected:
    void TearDown() override {
        EXPECT_EQ(executor.armed(), 0u);
        EXPECT_EQ(executor.unarmed_disarmings, 0);
        EXPECT_EQ(executor.work, 0);
    }

    TimerExecutor executor;
    std::optional<Agent> agent{std::in_place, executor};
    std::atomic<int> cell{0};
};

TEST_F(ExecutorWithTimers, DisarmsTheTimerOfANotifiedWait) {
    const auto promise = wait_async(cell, 0, 1h).promise();
    EXPECT_EQ(executor.armed(), 1u);
    notify(cell);

    executor.run_all();

    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(executor.disarmings, 1);
}

TEST_F(ExecutorWithTimers, DisarmsTheTimerOfACancelledWait) {
    std::stop_source source;
    const auto promise = wait_async(cell, 0, {1h, source.get_token()}).promise();
    source.request_stop();

    executor.run_all();

    EXPECT_TRUE(promise.is_settled());
    EXPECT_EQ(executor.disarmings, 1);
}

TEST_F(ExecutorWithTimers, DisarmsTheTimerOfADroppedPromise) {
    { const auto promise = wait_async(cell, 0, 1h).promise(); }

    EXPECT_EQ(executor.armings, 1);
    EXPECT_EQ(executor.disarmings, 1);
}

TEST_F(ExecutorWithTimers, DisarmsTimersWhenItsAgentEnds) {
    const auto promise = wait_async(cell, 0, 1h).promise();

    agent.reset();

    EXPECT_EQ(executor.disarmings, 1);
}

TEST_F(ExecutorWithTimers, DisarmsTimersWhenItsAgentEndsWithAWakePosted) {
    const auto promise = wait_async(cell, 0, 1h).promise();
    EXPECT_EQ(notify(cell), 1u);

    agent.reset();
    executor.run_all();

    EXPECT_FALSE(promise.is_settled());
    EXPECT_EQ(executor.disarmings, 1);
}

TEST_F(ExecutorWithTimers, DoesNotDisarmATimerThatHasFired) {
    const auto short_wait = futon::test::short_wait(cell);
    until_after(short_wait.deadline);
    const int disarmed_before = executor.disarmings;

    executor.fire_due();
    executor.run_all();

    EXPECT_TRUE(short_wait.promise.is_settled());
    EXPECT_EQ(executor.disarmings, disarmed_before);
}

TEST_F(ExecutorWithTimers, DisarmsTheTimerOfAnAcquisitionThatSucceeded) {
    AsyncLock lock;
    std::optional<WaitResult> result;
    lock.try_lock();
    const OwnedCoroutine coroutine = lock_owned(lock, result, 1h);
    EXPECT_EQ(executor.armed(), 1u);
    lock.unlock();

    executor.run_all();

    EXPECT_EQ(result, WaitResult::ok);
    EXPECT_EQ(executor.armings, executor.disarmings);
}

TEST_F(ExecutorWithTimers, DisarmsTheTimerOfAQueuedCoroutineThatIsDestroyed) {
    AsyncLock lock;
    std::optional<WaitResult> result;
    lock.try_lock();
    OwnedCoroutine coroutine = lock_owned(lock, result, 1h);
    EXPECT_EQ(executor.armed(), 1u);

    coroutine.destroy();

    EXPECT_EQ(executor.disarmings, 1);
}

TEST_F(ExecutorWithTimers, DisarmsTheTimerOfADestroyedCoroutineWithAWakePosted) {
    AsyncLock lock;
    std::optional<WaitResult> result;
    lock.try_lock();
    OwnedCoroutine coroutine = lock_owned(lock, result, 1h);
    lock.unlock();

    coroutine.destroy();
    executor.run_all();

    EXPECT_FALSE(result.has_value());
    EXPECT_EQ(executor.disarmings, 1);
    EXPECT_TRUE(lock.try_lock());
}

/// It has `retract`, which may wait, and not `retract_posted`.
TEST_F(ExecutorWithTimers, GivesBackWhatADroppedPromiseWasHandedWhenItsJobRuns) {
    futon::AutoResetEvent event;
    std::optional promise(futon::promise_of(event.waiting()));
    event.set();

    promise.reset();
    const bool was_set = event.is_set();
    executor.run_all();

    EXPECT_FALSE(was_set);
    EXPECT_TRUE(event.is_set());
}

TEST_F(ExecutorWithTimers, CountsEachWaitAsWorkUntilItEnds) {
    auto dropped = std::make_unique<Promise<WaitResult>>(wait_async(cell, 0).promise());
    auto unrefd = wait_async(cell, 0).promise();
    const auto notified = wait_async(cell, 0, 1h).promise();
    const auto abandoned = wait_async(cell, 0).promise();
    const int work_begun = executor.work;

    dropped.reset();
    unrefd.unref();
    const int work_left = executor.work;
    notify(cell, 2);
    executor.run_all();
    const int work_at_end = executor.work;
    agent.reset();

    EXPECT_EQ(work_begun, 4);
    EXPECT_EQ(work_left, 2);
    EXPECT_EQ(work_at_end, 1);
    EXPECT_EQ(executor.work, 0);
}

TEST(EventLoop, RunsWhileAWaitOfAnotherAgentOnItIsPending) {
    EventLoop loop;
    const Agent agent(loop);
    std::atomic<int> cell{0};
    WaitResult seen = WaitResult::not_equal;
    static_cast<void>(futon::test::short_wait(cell).promise.then([&](WaitResult result) { seen = result; }));

    loop.run();

    EXPECT_EQ(seen, WaitResult::timed_out);
}

}  // namespace
