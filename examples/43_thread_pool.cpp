// SPDX-License-Identifier: MIT
//
// Coroutines of a thread pool lock what plain threads lock, too. No agent belongs to a thread of the pool: each coroutine says
// on which executor it goes on. Here that is a strand, whose jobs run one at a time, on whichever thread of the pool is free.
// All but the lock is plain C++20: the pool, the strand and the task type could be those of another library.
//
// Prints:
//     with a deadline: timed-out
//     stopped: cancelled
//     sum: 4400, in strands: 2000 and 2000

#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <cstdio>
#include <exception>
#include <latch>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <futon/core.hpp>

#include <futon/futon.hpp>

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

/// Jobs in the order of their coming. Each brings its link along.
class JobList {
public:
    void push(futon::Job& job) noexcept {
        job.next = nullptr;
        *end_ = &job;
        end_ = &job.next;
    }
    futon::Job* pop() noexcept {
        futon::Job* const job = first_;
        if (job != nullptr && (first_ = job->next) == nullptr) end_ = &first_;
        return job;
    }
    bool is_empty() const noexcept { return first_ == nullptr; }

private:
    futon::Job* first_ = nullptr;
    futon::Job** end_ = &first_;
};

/// Threads that run strands.
class Pool {
public:
    explicit Pool(int threads) {
        for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
    }
    ~Pool() { join(); }

    /// Runs what there is to run, and ends the threads.
    void join() {
        {
            const std::scoped_lock hold(mutex_);
            is_ending_ = true;
        }
        changed_.notify_all();
        threads_.clear();
    }

private:
    friend class Strand;

    void work() {
        std::unique_lock hold(mutex_);
        while (true) {
            alarms_.advance(Clock::now());  // a strand whose alarm fires becomes ready
            if (futon::Job* const strand = ready_.pop()) {
                hold.unlock();
                strand->run();
                hold.lock();
            } else if (is_ending_) {
                return;
            } else if (alarms_.next_deadline() == Clock::time_point::max()) {
                changed_.wait(hold);
            } else {
                changed_.wait_until(hold, alarms_.next_deadline());
            }
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    JobList ready_;                                 // strands that have something to do
    futon::core::TimerWheel alarms_{Clock::now()};  // of strands whose timers are not due yet
    bool is_ending_ = false;
    std::vector<std::jthread> threads_;
};

/// An executor that runs one job at a time. Its timers fire before a job, so no other thread touches them.
class Strand final : public futon::Executor, private futon::Job {
public:
    explicit Strand(Pool& pool) : pool_(pool) {}

    void post(futon::Job& job) noexcept override {
        const std::scoped_lock hold(pool_.mutex_);
        jobs_.push(job);
        make_ready();
    }

    bool keeps_timers() const noexcept override { return true; }
    void arm(futon::Timer& timer, Clock::time_point time) noexcept override { timers_.arm(timer, time); }
    void disarm(futon::Timer& timer) noexcept override { timers_.disarm(timer); }

private:
    struct Alarm final : futon::Timer {
        explicit Alarm(Strand& owner) : strand(owner) {}
        void fire() noexcept override {
            is_armed = false;
            strand.make_ready();
        }
        Strand& strand;
        bool is_armed = false;
    };

    /// Under the pool's mutex.
    void make_ready() noexcept {
        if (std::exchange(is_ready_, true)) return;
        pool_.ready_.push(*this);
        pool_.changed_.notify_one();
    }

    /// What a thread of the pool does for the strand: the timers that are due, and one job.
    void run() noexcept override {
        timers_.advance(Clock::now());
        std::unique_lock hold(pool_.mutex_);
        futon::Job* const job = jobs_.pop();
        hold.unlock();
        if (job != nullptr) job->run();

        hold.lock();
        if (std::exchange(alarm_.is_armed, false)) pool_.alarms_.disarm(alarm_);
        if (timers_.next_deadline() != Clock::time_point::max()) {
            alarm_.is_armed = true;
            pool_.alarms_.arm(alarm_, timers_.next_deadline());
        }
        is_ready_ = false;
        if (!jobs_.is_empty()) {
            make_ready();
        } else if (alarm_.is_armed) {
            pool_.changed_.notify_one();  // a thread that sleeps may have to wake up sooner now
        }
    }
    void discard() noexcept override {}

    Pool& pool_;
    JobList jobs_;
    bool is_ready_ = false;
    futon::core::TimerWheel timers_{Clock::now()};  // the strand's own
    Alarm alarm_{*this};
};

/// A coroutine that runs by itself; its frame ends with it.
struct Task {
    struct promise_type {
        Task get_return_object() const noexcept { return {}; }
        std::suspend_never initial_suspend() const noexcept { return {}; }
        std::suspend_never final_suspend() const noexcept { return {}; }
        void return_void() const noexcept {}
        void unhandled_exception() const noexcept { std::terminate(); }
    };
};

/// Goes on in a strand.
class Enter final : private futon::Job {
public:
    explicit Enter(Strand& strand) : strand_(strand) {}
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> coroutine) noexcept {
        coroutine_ = coroutine;
        strand_.post(*this);
    }
    void await_resume() const noexcept {}

private:
    void run() noexcept override { coroutine_.resume(); }
    void discard() noexcept override {}

    Strand& strand_;
    std::coroutine_handle<> coroutine_;
};

constexpr int tasks = 20;
constexpr int rounds = 200;

struct Account {
    futon::AsyncLock lock;
    int sum = 0;
};

/// `in_strand` needs no lock: only coroutines of one strand touch it.
Task count(Strand& strand, Account& account, int& in_strand, std::latch& done) {
    co_await Enter(strand);
    for (int i = 0; i < rounds; ++i) {
        ++in_strand;
        const futon::AsyncLock::Guard guard = co_await futon::await_on(strand, account.lock.locking());
        ++account.sum;
    }
    done.count_down();
}

/// Tries to lock what another holds, and prints how that ended.
Task try_lock(Strand& strand, Account& account, futon::Limits limits, const char* what, std::latch& done) {
    co_await Enter(strand);
    const futon::AsyncLock::Guard guard = co_await futon::await_on(strand, account.lock.locking(), limits);
    std::printf("%s: %s\n", what, to_string(guard.result()).data());
    done.count_down();
}

/// What a plain thread does: it blocks for the lock.
void count_blocking(Account& account) {
    for (int i = 0; i < rounds; ++i) {
        const std::scoped_lock hold(account.lock);
        ++account.sum;
    }
}

}  // namespace

int main() {
    Account account;
    int in_a = 0;
    int in_b = 0;
    std::latch timed_out(1);
    std::latch stopped(1);
    std::latch counted(tasks);
    std::stop_source stop;
    Pool pool(3);
    Strand a(pool);
    Strand b(pool);

    account.lock.lock();
    try_lock(a, account, 5ms, "with a deadline", timed_out);
    timed_out.wait();
    try_lock(b, account, {1h, stop.get_token()}, "stopped", stopped);
    stop.request_stop();
    stopped.wait();
    account.lock.unlock();

    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 2; ++i) threads.emplace_back([&] { count_blocking(account); });
        for (int i = 0; i < tasks; ++i) count(i % 2 == 0 ? a : b, account, i % 2 == 0 ? in_a : in_b, counted);
    }
    counted.wait();
    pool.join();  // nothing waits any more; the strands end after the threads that run them

    std::printf("sum: %d, in strands: %d and %d\n", account.sum, in_a, in_b);
    return account.sum == (tasks + 2) * rounds && in_a == in_b && in_a + in_b == tasks * rounds ? 0 : 1;
}
