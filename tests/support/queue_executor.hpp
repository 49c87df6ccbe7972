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
    ~QueueExecutor() {
        while (Job* job = take()) job->discard();
    }

    void post(Job& job) noexcept override {
        const std::scoped_lock hold(mutex_);
        jobs_.push_back(&job);
    }

    void report_unhandled(std::exception_ptr exception) noexcept override { unhandled.push_back(exception); }

    /// Runs the jobs, and those that they post. Returns how many ran.
    std::size_t run_all() {
        std::size_t count = 0;
        while (Job* job = take()) {
            job->run();
            ++count;
        }
        return count;
    }

    std::vector<std::exception_ptr> unhandled;

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
