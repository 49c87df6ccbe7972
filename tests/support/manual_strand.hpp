// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>

#include <futon/core/timer_wheel.hpp>
#include <futon/executor.hpp>

namespace futon::test {

/// An executor whose jobs and timers run when the test says so, on the thread that says so. It gives posted jobs back.
class ManualStrand final : public Executor {
public:
    ~ManualStrand() { discard_all(); }

    void post(Job& job) noexcept override {
        const std::scoped_lock hold(mutex_);
        jobs_.push_back(&job);
    }

    bool retract(Job& job) noexcept override {
        const std::scoped_lock hold(mutex_);
        return std::erase(jobs_, &job) != 0;
    }

    bool keeps_timers() const noexcept override { return true; }
    void arm(Timer& timer, std::chrono::steady_clock::time_point time) noexcept override {
        ++armed;
        timers_.arm(timer, time);
    }
    void disarm(Timer& timer) noexcept override {
        --armed;
        timers_.disarm(timer);
    }

    void work_started() noexcept override { ++pending; }
    void work_finished() noexcept override { --pending; }

    /// Runs the jobs, and those that they post. Returns how many ran.
    std::size_t run_all() {
        std::size_t count = 0;
        for (; Job* job = take(); ++count) job->run();
        return count;
    }

    /// Fires the timers that are due by `time`.
    void advance(std::chrono::steady_clock::time_point time) { timers_.advance(time); }

    /// Ends the jobs as the end of an executor does. Returns how many were discarded.
    std::size_t discard_all() {
        std::size_t count = 0;
        for (; Job* job = take(); ++count) job->discard();
        return count;
    }

    int pending = 0;  ///< waits that have begun, and not ended
    int armed = 0;    ///< timers that were armed, and not disarmed

private:
    Job* take() {
        const std::scoped_lock hold(mutex_);
        if (jobs_.empty()) return nullptr;
        Job* job = jobs_.front();
        jobs_.pop_front();
        return job;
    }

    std::mutex mutex_;
    std::deque<Job*> jobs_;
    core::TimerWheel timers_{std::chrono::steady_clock::now()};
};

}  // namespace futon::test
