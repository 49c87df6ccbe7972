// SPDX-License-Identifier: MIT
// A signal handler stops a loop, on the loop's own thread, amid whatever that does.
#ifdef FUTON_PLATFORM_IS_linux

#include <atomic>
#include <chrono>
#include <csignal>
#include <deque>
#include <functional>
#include <limits>
#include <thread>

#include <pthread.h>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/platform.hpp"
#include "support/sanitizers.hpp"
#include "support/timed_rounds.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;

/// A loop that SIGUSR1 stops.
class LoopStoppedBySignals : public testing::Test {
protected:
    void SetUp() override {
        if (!futon::test::threads_outlast_signals) GTEST_SKIP() << "a thread is taken for another after a signal";
        stopped = &loop;
        struct sigaction action {};
        action.sa_handler = [](int) { stopped.load()->stop(); };
        ASSERT_EQ(sigaction(SIGUSR1, &action, &before_), 0);
        // The thread sanitizer makes a thread's store of deferred signals when it first needs one, and that of GCC 12 loses a
        // signal that comes just then. Raising nothing makes the store.
        if (futon::test::is_thread_sanitized) std::raise(0);
    }
    void TearDown() override { sigaction(SIGUSR1, &before_, nullptr); }

    /// Sends signals to this thread for a while, each once the run that the one before ended has returned; meanwhile this
    /// thread runs the loop.
    void run_until_stopped() {
        std::atomic<int> returns{0};
        std::atomic<int> signals{std::numeric_limits<int>::max()};  // decided before the last one is sent
        const std::jthread sender([&, looper = pthread_self()] {
            futon::test::TimedRounds rounds;
            for (int sent = 0; sent < signals.load(); ++sent) {
                if (!rounds.has_another_round()) signals = sent + 1;
                pthread_kill(looper, SIGUSR1);
                futon::test::until([&] { return returns.load() > sent; });
            }
        });
        while (returns.load() < signals.load()) {
            loop.run();
            ++returns;
        }
    }

    static inline std::atomic<EventLoop*> stopped{nullptr};
    EventLoop loop;

private:
    struct sigaction before_ {};
};

/// A job that posts itself again, and so spends most of its time in `post`.
struct Again final : futon::Job {
    explicit Again(EventLoop& posted_to) : loop(posted_to) {}
    void run() noexcept override {
        ++runs;
        if (!is_over) loop.post(*this);
    }
    void discard() noexcept override {}

    EventLoop& loop;
    bool is_over = false;
    long runs = 0;
};

TEST_F(LoopStoppedBySignals, LosesNoStopAndNoJobWhileItPostsToItself) {
    std::deque<Again> jobs;
    for (int i = 0; i < 10; ++i) loop.post(jobs.emplace_back(loop));

    run_until_stopped();

    for (Again& job : jobs) {
        job.is_over = true;
        job.runs = 0;
    }
    loop.run();
    for (const Again& job : jobs) EXPECT_EQ(job.runs, 1);
}

TEST_F(LoopStoppedBySignals, LosesNoStopWhileItSleeps) {
    if (!futon::test::handlers_run_at_once) GTEST_SKIP() << "a handler is deferred past the sleep";
    std::atomic<int> word{0};
    const auto promise = futon::wait_async(word, 0).promise();

    run_until_stopped();

    EXPECT_FALSE(promise.is_settled());
}

TEST_F(LoopStoppedBySignals, LosesNoStopWhileItSleepsForTimersAndHasAHandle) {
    loop.native_handle();
    long fired = 0;
    std::function<void()> again = [&] {
        ++fired;
        loop.post_after(1us, again);
    };
    again();

    run_until_stopped();

    EXPECT_GT(fired, 0);
}

TEST_F(LoopStoppedBySignals, ARaiseInAJobEndsTheRunAfterThatJob) {
    int runs = 0;
    for (int i = 0; i < 1000; ++i) {
        loop.post([&] {
            ++runs;
            std::raise(SIGUSR1);
        });
    }

    for (int returns = 1; returns <= 1000; ++returns) {
        loop.run();
        ASSERT_EQ(runs, returns);
    }
}

}  // namespace

#endif
