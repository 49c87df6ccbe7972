// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <vector>

#include <futon/executor.hpp>

namespace futon::test {

/// The smallest possible executor: a queue under a mutex, without timers and without retraction.
class QueueExecutor : public Executor {
public:
    ~QueueExecutor() { discard_all(); }

    void post(Job& job) noexcept override {
        const std::scoped_lock hold(mutex_);
        jobs_.push_back(&job);
    }

    void report_unhandled(std::exception_ptr exception) noexcept override { unhandled.push_back(exception); }

    /// Runs the jobs, and those that they post. Returns how many ran.
    std::size_t run_all() {
        std::size_t count = 0;
        for (; Job* job = take(); ++count) job->run();
        return count;
    }

    /// Ends the jobs as the end of an executor does. Returns how many were discarded.
    std::size_t discard_all() {
        std::size_t count = 0;
        for (; Job* job = take(); ++count) job->discard();
        return count;
    }

    std::vector<std::exception_ptr> unhandled;

protected:
    /// For executors that give jobs back.
    bool remove(Job& job) noexcept {
        const std::scoped_lock hold(mutex_);
        return std::erase(jobs_, &job) != 0;
    }

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
};

}  // namespace futon::test
