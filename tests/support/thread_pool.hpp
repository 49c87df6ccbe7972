// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <futon/executor.hpp>

namespace futon::test {

/// A list of jobs, in the order of their coming.
class JobList {
public:
    void push(Job& job) noexcept {
        job.next = nullptr;
        *end_ = &job;
        end_ = &job.next;
    }
    Job* pop() noexcept {
        Job* const job = first_;
        if (job != nullptr && (first_ = job->next) == nullptr) end_ = &first_;
        return job;
    }
    bool is_empty() const noexcept { return first_ == nullptr; }

private:
    Job* first_ = nullptr;
    Job** end_ = &first_;
};

/// Threads that run jobs beside each other.
class ThreadPool final : public Executor {
public:
    explicit ThreadPool(std::size_t threads) {
        for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
    }
    ~ThreadPool() { end(); }

    /// Runs what was posted until now, and ends the threads.
    void end() {
        {
            const std::scoped_lock hold(mutex_);
            is_ending_ = true;
        }
        changed_.notify_all();
        threads_.clear();
    }

    void post(Job& job) noexcept override {
        const std::scoped_lock hold(mutex_);
        jobs_.push(job);
        changed_.notify_one();
    }

private:
    void work() {
        std::unique_lock hold(mutex_);
        while (true) {
            changed_.wait(hold, [&] { return is_ending_ || !jobs_.is_empty(); });
            Job* const job = jobs_.pop();
            if (job == nullptr) return;
            hold.unlock();
            job->run();
            hold.lock();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    JobList jobs_;
    bool is_ending_ = false;
    std::vector<std::jthread> threads_;
};

/// Runs its jobs one after the other, on whichever thread of a pool is free. The pool ends first.
class Strand final : public Executor, private Job {
public:
    explicit Strand(Executor& pool) noexcept : pool_(pool) {}

    void post(Job& job) noexcept override {
        const std::scoped_lock hold(mutex_);
        jobs_.push(job);
        if (!std::exchange(is_posted_, true)) pool_.post(*this);
    }

private:
    void run() noexcept override {
        std::unique_lock hold(mutex_);
        Job* const job = jobs_.pop();
        hold.unlock();
        job->run();
        hold.lock();
        is_posted_ = !jobs_.is_empty();
        if (is_posted_) pool_.post(*this);
    }
    void discard() noexcept override { std::terminate(); }  // the pool runs all

    Executor& pool_;
    std::mutex mutex_;
    JobList jobs_;
    bool is_posted_ = false;
};

/// A coroutine that runs by itself, and whose frame ends with it.
struct Detached {
    struct promise_type {
        Detached get_return_object() const noexcept { return {}; }
        std::suspend_never initial_suspend() const noexcept { return {}; }
        std::suspend_never final_suspend() const noexcept { return {}; }
        void return_void() const noexcept {}
        void unhandled_exception() const noexcept { std::terminate(); }
    };
};

/// Suspends a coroutine, and goes on within a job of an executor.
class GoTo final : private Job {
public:
    explicit GoTo(Executor& executor) noexcept : executor_(executor) {}
    bool await_ready() const noexcept { return false; }
    [[gnu::noinline]] void await_suspend(std::coroutine_handle<> coroutine) noexcept {
        coroutine_ = coroutine;
        executor_.post(*this);
    }
    void await_resume() const noexcept {}

private:
    void run() noexcept override { coroutine_.resume(); }
    void discard() noexcept override { std::terminate(); }

    Executor& executor_;
    std::coroutine_handle<> coroutine_;
};

}  // namespace futon::test
