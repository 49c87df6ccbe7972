// SPDX-License-Identifier: MIT
// A lock does not wait for an event loop that does not run: programs in which it would.
#include <atomic>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <variant>
#include <vector>

#include <futon/core/loop/loop_executor.hpp>
#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::EventLoop;
using futon::Fairness;
using futon::WaitResult;
using futon::test::until_handoff_is_due;
using futon::test::until_waiting;

/// Locks until it is stopped, and counts.
class Worker {
public:
    explicit Worker(AsyncLock& lock)
        : thread_([&lock, this](const std::stop_token& stop) {
              while (!stop.stop_requested()) {
                  const std::scoped_lock hold(lock);
                  count_.fetch_add(1);
                  count_.notify_all();
              }
          }) {}

    void until_it_has_locked(int times) const {
        for (const int end = count_ + times; count_ < end;) std::this_thread::yield();
    }

private:
    std::atomic<int> count_{0};
    std::jthread thread_;
};

class OfferedLock : public testing::TestWithParam<Fairness> {
protected:
    /// A function of the loop is the first in the queue, and the threshold has passed.
    void queue_function_of(EventLoop&) {
        EXPECT_TRUE(lock.try_lock());
        lock.execute_locked([this] { has_run = true; });
        until_handoff_is_due();
    }

    AsyncLock lock{GetParam()};
    bool has_run = false;
};

TEST_P(OfferedLock, IsTakenByAThreadWhereAJobOfTheLoopHasThrown) {
    EventLoop loop;
    queue_function_of(loop);
    loop.post([] { throw std::runtime_error("a job fails"); });
    {
        const Worker worker(lock);
        lock.unlock();
        EXPECT_THROW(loop.run(), std::runtime_error);
        worker.until_it_has_locked(3);
    }
    loop.run();

    EXPECT_TRUE(has_run);
}

TEST_P(OfferedLock, IsTakenByAThreadWhereTheLoopWasStopped) {
    EventLoop loop;
    queue_function_of(loop);
    loop.post([&] { loop.stop(); });
    {
        const Worker worker(lock);
        loop.run();
        lock.unlock();
        worker.until_it_has_locked(3);
    }
    loop.run();

    EXPECT_TRUE(has_run);
}

TEST_P(OfferedLock, IsTakenByAThreadWhileAJobOfTheLoopComputes) {
    EventLoop loop;
    queue_function_of(loop);
    const Worker worker(lock);
    loop.post([&] {
        lock.unlock();
        worker.until_it_has_locked(100);
        EXPECT_FALSE(has_run);
    });

    loop.run();

    EXPECT_TRUE(has_run);
}

TEST_P(OfferedLock, IsTakenByAThreadWhileAJobRunsAnotherLoop) {
    EventLoop loop;
    queue_function_of(loop);
    const Worker worker(lock);
    loop.post([&] {
        EventLoop dialog;  // modal: the outer loop does not run meanwhile
        dialog.post([&] {
            lock.unlock();
            worker.until_it_has_locked(3);
        });
        dialog.run();
        EXPECT_FALSE(has_run);
    });

    loop.run();

    EXPECT_TRUE(has_run);
}

TEST_P(OfferedLock, IsTakenByAThreadWhereTheHostOfALoopDoesNotPollIt) {
    futon::core::LoopExecutor executor([]() noexcept {});
    EXPECT_TRUE(lock.try_lock());
    lock.execute_locked([this] { has_run = true; });
    until_handoff_is_due();
    {
        const Worker worker(lock);
        lock.unlock();
        worker.until_it_has_locked(3);
    }
    EXPECT_FALSE(has_run);

    while (executor.has_work()) executor.poll();

    EXPECT_TRUE(has_run);
}

TEST_P(OfferedLock, IsTakenByAJobThatBlocksForItBehindAFunctionOfItsOwnLoop) {
    EventLoop loop(futon::CanBlock::yes);
    queue_function_of(loop);
    std::jthread owner([&] {
        until_waiting(lock, 2);
        lock.unlock();
    });

    loop.post([&] { const std::scoped_lock hold(lock); });
    loop.run();

    EXPECT_TRUE(has_run);
}

TEST_P(OfferedLock, IsTakenByTwoThreadsBehindManyTasksOfALoopThatDoesNotRun) {
    EventLoop loop;
    queue_function_of(loop);
    int ran = 0;
    constexpr int tasks = 1000;
    for (int i = 0; i < tasks; ++i) lock.execute_locked([&] { ++ran; });
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 1; i <= 2; ++i) {
            threads.emplace_back([&] { const std::scoped_lock hold(lock); });
            until_waiting(lock, tasks + 1 + i);
        }
        lock.unlock();
    }
    loop.run();

    EXPECT_EQ(ran, tasks);
}

TEST_P(OfferedLock, IsTakenByAThreadBehindManyTasksOfALoopThatDoesNotRun) {
    EventLoop loop;
    queue_function_of(loop);
    int ran = 0;
    constexpr int tasks = 1000;
    for (int i = 0; i < tasks; ++i) lock.execute_locked([&] { ++ran; });
    {
        std::jthread thread([&] { const std::scoped_lock hold(lock); });
        until_waiting(lock, tasks + 2);
        lock.unlock();
    }
    loop.run();

    EXPECT_EQ(ran, tasks);
}

TEST_P(OfferedLock, IsTakenByASelectBehindALoopThatDoesNotRun) {
    EventLoop loop;
    queue_function_of(loop);
    int never = 0;
    {
        std::jthread thread([&] {
            auto chosen = futon::select(futon::waiting(futon::Word(never), 0), lock.locking());
            EXPECT_EQ(chosen.index(), 1u);
        });
        until_waiting(lock, 2);
        lock.unlock();
    }
    loop.run();

    EXPECT_TRUE(has_run);
}

TEST_P(OfferedLock, IsTakenByTheTaskOfAnotherLoopThatRuns) {
    EventLoop late;
    queue_function_of(late);
    bool has_run_elsewhere = false;
    {
        std::jthread other([&] {
            EventLoop loop;
            lock.execute_locked([&] { has_run_elsewhere = true; });
            loop.run();
        });
        until_waiting(lock, 2);
        lock.unlock();
    }
    EXPECT_TRUE(has_run_elsewhere);
    late.run();

    EXPECT_TRUE(has_run);
}

TEST_P(OfferedLock, IsTakenByTheNextThreadWhereTheFirstGivesUp) {
    EventLoop loop;
    queue_function_of(loop);
    {
        std::stop_source stop;
        std::jthread impatient([&] {
            // It may have the lock already, if the offer expires before the stop is requested.
            if (lock.lock(stop.get_token()) == WaitResult::ok) lock.unlock();
        });
        until_waiting(lock, 2);
        std::jthread thread([&] { const std::scoped_lock hold(lock); });
        until_waiting(lock, 3);
        lock.unlock();
        stop.request_stop();
    }
    loop.run();

    EXPECT_TRUE(has_run);
}

INSTANTIATE_TEST_SUITE_P(Fairness, OfferedLock, testing::Values(Fairness::bounded, Fairness::strict),
                         [](const auto& chosen) { return chosen.param == Fairness::strict ? "strict" : "bounded"; });

}  // namespace
