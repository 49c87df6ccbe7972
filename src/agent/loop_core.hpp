// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <list>

#include <futon/agent.hpp>
#include <futon/core/timer_wheel.hpp>
#include <futon/executor.hpp>
#include <futon/native_handle.hpp>

#include "agent/job_queue.hpp"
#include "agent/ready_jobs.hpp"
#include "platform/doorbell.hpp"

namespace futon::detail {

/// What every loop has, whether it sleeps by itself or a host runs it: the queue of jobs, the timers, retraction, the agent
/// and its teardown.
class LoopCore {
public:
    /// `wake` is called whenever the host should poll; a loop that sleeps by itself has none. It may be called by any
    /// thread, and must not throw.
    LoopCore(Executor& executor, CanBlock can_block, std::function<void()> wake);

    void post(Job& job) noexcept;
    bool retract(Job& job) noexcept;
    void arm(Timer& timer, core::TimerWheel::TimePoint time) noexcept;
    void disarm(Timer& timer) noexcept { timers_.disarm(timer); }
    void report_unhandled(std::exception_ptr exception) noexcept;
    void work_started() noexcept { ++work_; }
    void work_finished() noexcept { --work_; }

    /// Runs what is ready, and does not wait. Returns whether there was anything.
    bool poll();

    /// When there is something to do at the latest, if no job arrives: `min()` for now, `max()` for never.
    core::TimerWheel::TimePoint next_deadline() const noexcept;

    bool has_work() const noexcept { return work_ > 0 || has_jobs() || !timers_.is_empty(); }

    NativeHandle native_handle();

    /// Discards whatever the loop was to run. What that destroys may post again: until nothing is left.
    void tear_down() noexcept;

    /// Runs jobs until `is_done()`, until `take_stop()`, or, if `may_end`, until nothing can happen any more. Returns false
    /// if stopped.
    template <class IsDone, class TakeStop>
    bool run(IsDone is_done, TakeStop take_stop, bool may_end) {
        const Running running(*this);
        while (true) {
            throw_unhandled();
            if (is_done()) return true;
            if (take_stop()) return false;
            if (!ready_.is_empty()) {
                ready_.pop_front().run();
            } else if (!refill()) {
                if (may_end && work_ == 0) return true;
                sleep();
            }
        }
    }

    Agent& agent() noexcept { return agent_; }

private:
    /// Jobs are being run. When the outermost run ends, the host is told what there is to do.
    class Running {
    public:
        explicit Running(LoopCore& loop) noexcept : loop_(loop) { ++loop_.depth_; }
        ~Running() {
            --loop_.depth_;
            loop_.announce();
        }
        Running(const Running&) = delete;
        Running& operator=(const Running&) = delete;

    private:
        LoopCore& loop_;
    };

    void ring() noexcept;
    void wake_up() noexcept;
    bool try_post_own(Job& job) noexcept;
    void take_posted() noexcept;
    bool refill() noexcept;
    void sleep() noexcept;
    void await_arrival() noexcept;
    void announce() noexcept;
    void throw_unhandled() {
        if (!unhandled_.empty()) [[unlikely]]
            throw_first_unhandled();
    }
    void throw_first_unhandled();
    bool has_jobs() const noexcept {
        return !ready_.is_empty() || !own_.is_empty() || !unhandled_.empty() || arrived_.has_jobs();
    }

    // For any thread.
    JobQueue arrived_;
    platform::Doorbell bell_;
    const std::function<void()> wake_;

    // For the loop's own thread.
    JobList own_;      // posted by the loop's own thread while nothing else had arrived: older than what arrives later
    ReadyJobs ready_;  // to be run next
    core::TimerWheel timers_;
    std::list<std::exception_ptr> unhandled_;  // the oldest first, however many
    bool is_asleep_ = false;                   // the queue says so, and the thread that wakes it must ring
    bool has_handle_ = false;
    std::size_t work_ = 0;  // what keeps `run` from returning
    int depth_ = 0;         // of runs within runs
    Agent agent_;
};

}  // namespace futon::detail
