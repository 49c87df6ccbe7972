// SPDX-License-Identifier: MIT
//
// A thread pool with a strand: callbacks run one at a time, on whichever thread is free. The strand is an Executor of one
// function. An agent belongs to one thread, so here the waits are AsyncWaiters, which drive the cycle of an operation by hand:
// begin, and proceed at each delivery. A TimerWheel, which only the strand touches, keeps the deadlines.
//
// The end: all that waits is cancelled, and the pool ends once nothing is pending.
//
// Prints:
//     lock: ok
//     event: timed-out
//     lock: cancelled
//     pending: 0

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <futon/core.hpp>

#include <futon/futon.hpp>

using namespace std::chrono_literals;
using futon::core::Progress;
using Clock = std::chrono::steady_clock;

namespace {

class Wait;

/// Runs one job at a time, in their order, on the threads that call `work`.
class Strand final : public futon::Executor {
public:
    void post(futon::Job& job) noexcept override {
        const std::scoped_lock hold(mutex_);
        job.next = nullptr;
        *end_ = &job;
        end_ = &job.next;
        changed_.notify_one();
    }

    /// What each thread of the pool does.
    void work(const std::stop_token& stop) {
        const auto may_run = [&] { return !is_busy_ && (first_ != nullptr || next_deadline_ <= Clock::now()); };
        std::unique_lock hold(mutex_);
        while (!stop.stop_requested()) {
            if (!may_run()) {
                changed_.wait_until(hold, stop, std::min(next_deadline_, Clock::now() + 1h), may_run);
                continue;
            }
            is_busy_ = true;
            futon::Job* const job = first_;
            if (job != nullptr && (first_ = job->next) == nullptr) end_ = &first_;
            hold.unlock();
            timers_.advance(Clock::now());
            if (job != nullptr) job->run();
            hold.lock();
            next_deadline_ = timers_.next_deadline();
            is_busy_ = false;
            changed_.notify_all();
        }
    }

    /// Returns once nothing waits in the strand.
    void join() {
        std::unique_lock hold(mutex_);
        changed_.wait(hold, [&] { return !is_busy_ && first_ == nullptr && waits_.empty(); });
    }

private:
    friend class Wait;
    friend struct CancelAll;

    std::mutex mutex_;
    std::condition_variable_any changed_;
    futon::Job* first_ = nullptr;
    futon::Job** end_ = &first_;
    bool is_busy_ = false;
    Clock::time_point next_deadline_ = Clock::time_point::max();

    // The strand's own.
    futon::core::TimerWheel timers_{Clock::now()};
    std::vector<Wait*> waits_;
};

/// A wait in a strand; deletes itself.
class Wait : public futon::core::AsyncWaiter, protected futon::Timer {
protected:
    explicit Wait(Strand& strand) : AsyncWaiter(strand), strand_(strand) { strand.waits_.push_back(this); }
    ~Wait() override { std::erase(strand_.waits_, this); }

    void watch(futon::Deadline deadline) {
        if ((is_armed_ = !deadline.is_never())) strand_.timers_.arm(*this, deadline.time_point());
    }
    void stop_watching() {
        if (std::exchange(is_armed_, false)) strand_.timers_.disarm(*this);
    }

private:
    void fire() noexcept override {
        is_armed_ = false;
        finish(futon::WaitResult::timed_out);
    }

    Strand& strand_;
    bool is_armed_ = false;
};

template <class Op, class F>
class WaitFor final : public futon::core::OperationWaiter<WaitFor<Op, F>, Wait> {
public:
    WaitFor(Strand& strand, Op op, futon::Deadline deadline, F f)
        : WaitFor::OperationWaiter(strand), op_(std::move(op)), deadline_(deadline), f_(std::move(f)) {
        go_on(futon::core::begin<futon::core::Caller::task>(op_, *this, deadline_));
    }

    Op& operation() noexcept { return op_; }

private:
    void on_complete(futon::WaitResult result) noexcept override {
        this->stop_watching();
        go_on(futon::core::proceed<futon::core::Caller::task>(op_, *this, result, deadline_));
    }

    void go_on(Progress progress) {
        if (progress == Progress::queued) return this->watch(futon::core::end_of_wait(op_, deadline_).deadline());
        f_(op_.result(futon::core::to_ending(progress)));
        delete this;
    }

    Op op_;
    futon::Deadline deadline_;
    F f_;
};

/// A function as a job.
template <class F>
class Call final : public futon::Job {
public:
    explicit Call(F f) : f_(std::move(f)) {}
    void run() noexcept override {
        f_();
        delete this;
    }
    void discard() noexcept override { delete this; }

private:
    F f_;
};

template <class F>
void run_in(Strand& strand, F f) {
    strand.post(*new Call<F>(std::move(f)));
}

/// Does an operation in the strand, and calls `f(result)` there. Any thread.
template <class Op, class F>
void wait_in(Strand& strand, Op op, futon::Limits limits, F f) {
    run_in(strand, [&strand, op = std::move(op), deadline = limits.deadline(), f = std::move(f)]() mutable {
        new WaitFor<Op, F>(strand, std::move(op), deadline, std::move(f));
    });
}

struct CancelAll {
    Strand& strand;
    void operator()() const {
        for (Wait* wait : strand.waits_) wait->finish(futon::WaitResult::cancelled);
    }
    std::size_t pending() const { return strand.waits_.size(); }
};

}  // namespace

int main() {
    futon::AsyncLock lock;
    futon::Event never;
    futon::Event timed_out;
    futon::WaitResult last = futon::WaitResult::ok;
    Strand strand;
    {
        std::vector<std::jthread> pool;
        for (int i = 0; i < 3; ++i) pool.emplace_back([&](const std::stop_token& stop) { strand.work(stop); });

        lock.lock();
        wait_in(strand, lock.locking(), 10s, [&](futon::AsyncLock::Guard guard) {
            std::printf("lock: %s\n", to_string(guard.result()).data());
            guard.release();  // kept: the next waiter waits for good
            wait_in(strand, never.waiting(), 3ms, [&](futon::WaitResult result) {
                std::printf("event: %s\n", to_string(result).data());
                timed_out.set();
            });
        });
        lock.unlock();
        timed_out.wait();

        wait_in(strand, lock.locking(), 10s, [&](futon::AsyncLock::Guard guard) {
            last = guard.result();
            std::printf("lock: %s\n", to_string(last).data());
        });
        run_in(strand, CancelAll{strand});
        strand.join();
    }
    std::printf("pending: %zu\n", CancelAll{strand}.pending());
    return last == futon::WaitResult::cancelled ? 0 : 1;
}
