// SPDX-License-Identifier: MIT
#include <atomic>
#include <memory>
#include <system_error>
#include <thread>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/scale.hpp"
#include "support/timed_rounds.hpp"
#include "support/waiting.hpp"

namespace {

using futon::EventLoop;
using futon::test::TimedRounds;
using futon::test::until;

/// A thread that stops each loop it is given once, and does not touch it afterwards.
class Stopper {
public:
    /// The caller is about to run the loop.
    void give(EventLoop& loop) { loop_ = &loop; }

    /// Whether the thread has taken the loop.
    bool has_taken() const { return loop_ == nullptr; }

private:
    std::atomic<EventLoop*> loop_{nullptr};
    std::jthread thread_{[this](const std::stop_token& end) {
        // It spins, so that the stop comes while the loop runs; but not for long, as the loop may need this processor.
        for (int polls = 0; !end.stop_requested(); ++polls) {
            EventLoop* const loop = loop_.exchange(nullptr);
            if (loop != nullptr) {
                loop->stop();
                polls = 0;
            } else if (polls > 1000) {
                std::this_thread::yield();
            }
        }
    }};
};

/// Keeps a loop from sleeping: posts itself each time it runs.
class RepostingJob final : public futon::Job {
public:
    /// The loop must end before this does.
    void begin(EventLoop& loop) {
        loop_ = &loop;
        loop.post(*this);
    }

private:
    void run() noexcept override { loop_->post(*this); }
    void discard() noexcept override {}

    EventLoop* loop_ = nullptr;
};

TEST(EventLoopStopStress, ASleepingLoopMayBeDestroyedOnceRunReturns) {
    Stopper stopper;
    std::atomic<int> cell{0};
    int returns = 0;

    for (int round = 0; round < futon::test::scaled(20'000); ++round) {
        const auto loop = std::make_unique<EventLoop>();
        const auto promise = futon::wait_async(cell, 0).promise();
        stopper.give(*loop);
        loop->run();
        returns += !promise.is_settled() && stopper.has_taken() ? 1 : 0;
    }

    EXPECT_EQ(returns, futon::test::scaled(20'000));
}

TEST(EventLoopStopStress, ABusyLoopMayBeDestroyedOnceRunReturns) {
    Stopper stopper;
    TimedRounds race;

    while (race.has_another_round()) {
        RepostingJob job;
        const auto loop = std::make_unique<EventLoop>();
        job.begin(*loop);
        stopper.give(*loop);
        loop->run();
        ASSERT_TRUE(stopper.has_taken());
    }
}

TEST(EventLoopStopStress, ALoopMayBeDestroyedOnceRunUntilThrows) {
    Stopper stopper;
    std::atomic<int> cell{0};
    int cancellations = 0;

    for (int round = 0; round < futon::test::scaled(10'000); ++round) {
        const auto loop = std::make_unique<EventLoop>();
        stopper.give(*loop);
        try {
            loop->run_until(futon::wait_async(cell, 0).promise());
        } catch (const std::system_error& error) {
            cancellations += error.code() == std::errc::operation_canceled ? 1 : 0;
        }
    }

    EXPECT_EQ(cancellations, futon::test::scaled(10'000));
}

TEST(EventLoopStopStress, EachStopOfSeveralThreadsEndsARunAndNoOtherRunEnds) {
    const int rounds = futon::test::scaled(10'000);
    EventLoop loop;
    std::atomic<int> cell{0};
    const auto promise = futon::wait_async(cell, 0).promise();
    std::atomic<int> returns{0};
    std::atomic<int> finished{0};
    const auto stopping = [&] {
        for (int i = 0; i < rounds; ++i) {
            const int before = returns;
            loop.stop();
            until([&] { return returns != before; });
        }
        ++finished;
        loop.stop();
    };
    std::jthread first(stopping);
    std::jthread second(stopping);

    while (finished < 2) {
        loop.run();
        ++returns;
    }

    EXPECT_GE(returns.load(), rounds);
    EXPECT_LE(returns.load(), 2 * (rounds + 1));
    EXPECT_FALSE(promise.is_settled());
}

}  // namespace
