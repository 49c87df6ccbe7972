// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

#include <futon/agent.hpp>
#include <futon/core/loop/host_waker.hpp>
#include <futon/core/loop/timer_wheel.hpp>
#include <futon/core/probe.hpp>
#include <futon/detail/chrono.hpp>
#include <futon/detail/contract.hpp>
#include <futon/executor.hpp>
#include <futon/native_handle.hpp>

#include "loop/current_agent.hpp"
#include "loop/engine_pace.hpp"
#include "loop/job_queue.hpp"
#include "loop/ready_jobs.hpp"
#include "loop/reused_memory.hpp"
#include "loop/turn_limit.hpp"
#include "loop/unhandled_exceptions.hpp"
#include "platform/clock.hpp"
#include "platform/doorbell.hpp"
#include "platform/sleep_forecast.hpp"

namespace futon::detail {

/// What every loop has, whether it sleeps by itself or a host runs it: the queue of jobs, the timers, retraction, the agent
/// and its teardown.
class LoopCore {
public:
    /// `wake` is called whenever the host should poll; a loop that sleeps by itself has none. It may be called by any
    /// thread, and must not throw. `alarm` is called with the time of the next timer whenever the loop falls asleep, and when a
    /// timer comes first that is armed in its sleep; where there is none the host is woken for the latter.
    LoopCore(Executor& executor, CanBlock can_block, const char* name, std::function<void()> wake,
             std::function<void(core::TimerWheel::TimePoint)> alarm);

    void post(Job& job) noexcept;
    /// As `post`, but refuses a job that would never run. Throws std::logic_error.
    void post_to_run(Job& job);
    /// As `post`, but touches only what is for any thread, and so may interrupt the loop's own.
    void post_from_anywhere(Job& job) noexcept;
    bool retract(Job& job) noexcept;
    bool retract_posted(Job& job) noexcept;
    void arm(Timer& timer, core::TimerWheel::TimePoint time) noexcept;
    void disarm(Timer& timer) noexcept;
    void report_unhandled(std::exception_ptr exception) noexcept;
    void work_started() noexcept {
        ++work_;
        if (driver_ >= Driver::thread) [[unlikely]]
            work_started_in_host();
    }
    void work_finished() noexcept {
        --work_;
        refresh_alive();
    }
    bool is_kept_running() const noexcept { return work_ > 0; }

    /// Whether this process is the child of a fork that copied the loop. Then nothing is run any more: the parent runs it.
    /// What is posted is discarded when the loop is destroyed; the bell, which is the parent's too, is left alone. [fork]
    bool is_inherited() const noexcept { return agent_.is_inherited(); }

    /// What other threads call instead of `wake` from now on. Called before another thread knows the loop.
    void set_waker(std::shared_ptr<core::HostWaker> waker) noexcept { waker_ = std::move(waker); }

    /// What tells the host whether it must go on, where it has no other reason to. The loop's own thread calls it.
    void set_keep_alive(std::function<void(bool)> keep_alive) noexcept { keep_alive_ = std::move(keep_alive); }

    /// Whether the calling thread is the one that made the loop, or the copy of it in the child of a fork: which may take
    /// back what is its own.
    bool is_owned() const noexcept { return agent_.slot_ == &this_agent_slot(); }

    /// Whether the calling thread is the one that made the loop.
    bool is_at_home() const noexcept { return is_owned() && !is_inherited(); }

    /// Throws std::logic_error, naming the loop's class and the function, on any other thread, and in the child of a fork.
    void require_home(const char* function) const {
        if (!is_at_home()) [[unlikely]]
            throw_not_at_home(function);
    }

    /// Ends the program with the rule's text on any other thread, and in a child with the rule of forks.
    void expect_home(const char* rule) const noexcept {
        if (!is_at_home()) [[unlikely]]
            contract_violated(is_inherited() ? fork_rule : rule);
    }

    /// What takes the exceptions that nothing else takes; empty where they leave from `run`.
    void set_unhandled_handler(std::function<void(std::exception_ptr)> handler);

    /// The host's alarm is not set any more: its timer has fired.
    void alarm_has_fired() noexcept { alarm_time_ = core::TimerWheel::TimePoint::max(); }

    /// Once the job that calls this has returned, `poll` runs nothing more: the loop is about to be destroyed.
    void leave() noexcept {
        expects(is_running() && life_ == Life::open, "a loop is left once, by a job of its own");
        life_ = Life::left;
    }
    bool is_left() const noexcept { return life_ == Life::left; }
    bool has_ended() const noexcept { return life_ == Life::ended; }

    /// Whether a job of the loop is being run.
    bool is_running() const noexcept { return depth_ > 0; }

    /// Runs what is ready, and does not wait: until that time is over, but one job at least. Returns whether there was anything.
    bool poll(const char* function, std::chrono::nanoseconds budget = unlimited) {
        note_look();
        return run_ready(function, budget);
    }
    /// As `poll`, but the caller tells arbiters when it looks.
    bool run_ready(const char* function, std::chrono::nanoseconds budget);
    static constexpr auto unlimited = std::chrono::nanoseconds::max();

    /// When there is something to do at the latest, if no job arrives: `min()` for now, `max()` for never.
    core::TimerWheel::TimePoint next_deadline() const noexcept;

    bool has_work() const noexcept { return work_ > 0 || has_jobs(); }  // [work]

    NativeHandle native_handle();

    /// Has the thread's own loop call `turn(context)` whenever there is something to do, until `leave_host`. The calls of `turn`
    /// run jobs by `run_turn`. Throws what Host::listen does.
    void enter_host(void (*turn)(void*) noexcept, void* context);
    void leave_host() noexcept;
    bool is_hosted() const noexcept { return driver_ == Driver::thread; }

    /// Discards whatever the loop was to run. What that destroys may post again: until nothing is left.
    void tear_down() noexcept;

    /// Runs jobs until `is_done()`, until `take_stop()`, or, if `may_end`, until nothing can happen any more. Returns false
    /// if stopped.
    template <class IsDone, class TakeStop>
    bool run(const char* function, IsDone is_done, TakeStop take_stop, bool may_end) {
        require_home(function);
        const Running running(*this);
        agent_.pace().will_tell();
        while (true) {
            require_parent(function);
            throw_unhandled();
            if (is_done()) return true;
            if (take_stop()) return false;
            if (has_due_) [[unlikely]] {
                if (ready_.is_empty()) note_look();
                if (ready_.is_empty()) take_posted();  // no job waits until all that is due has fired
                if (fire_in_turn()) continue;
            }
            if (ready_.is_empty()) {
                note_look();
                refill();
                if (driver_ == Driver::handle && has_gathered()) keep_readable();
                if (has_due_) continue;
                if (ready_.is_empty()) {
                    if (may_end && work_ == 0) return true;
                    sleep();
                    continue;
                }
            }
            run_job();
        }
    }

    /// Runs jobs for a while, until `take_stop()` or until nothing is ready: a turn of the thread's own loop, which is called again
    /// if something is left. Returns false if stopped.
    template <class TakeStop>
    bool run_turn(TakeStop take_stop) {
        // No turn is within another. If one was left by what is no exception of C++, that has passed ~Running by.
        depth_ = 0;
        const Running running(*this);
        const EngineTurn turn(*this);
        TurnLimit limit;
        for (bool has_run = false;; has_run = run_next()) {
            throw_unhandled();
            if (take_stop()) return false;
            if (!has_gathered()) refill();
            if (!has_gathered()) return true;
            if (has_run && limit.is_over()) return true;
        }
    }

    Agent& agent() noexcept { return agent_; }

private:
    /// Jobs are being run, under the loop's own agent. When the outermost run ends, the host is told what there is to do.
    class Running {
    public:
        explicit Running(LoopCore& loop) noexcept : loop_(loop), agent_(loop.agent_) { ++loop_.depth_; }
        ~Running() {
            --loop_.depth_;
            loop_.announce();
            if (loop_.life_ == Life::open) loop_.refresh_alive();
        }
        Running(const Running&) = delete;
        Running& operator=(const Running&) = delete;

    private:
        LoopCore& loop_;
        const CurrentAgent agent_;
    };

    /// Arbiters are told of a turn that the engine takes, if they have asked.
    class EngineTurn {
    public:
        explicit EngineTurn(LoopCore& loop) noexcept : loop_(loop) {
            if (loop_.agent_.pace().is_wanted()) loop_.engine_pace_.begin_turn(core::Pace::now());
        }
        ~EngineTurn() { loop_.end_engine_turn(); }
        EngineTurn(const EngineTurn&) = delete;
        EngineTurn& operator=(const EngineTurn&) = delete;

    private:
        LoopCore& loop_;
    };

    /// Who runs the loop. The first runs it by `run`, or not at all; it becomes the second by `native_handle`, or the third by
    /// `enter_host` until `leave_host`. The fourth is so from the beginning.
    enum class Driver : std::uint8_t {
        itself,
        handle,  ///< a loop that watches the bell's handle, by `poll`
        thread,  ///< the thread's own loop, by `run_turn` and the bell's alarm
        host     ///< one that `wake_` calls, by `poll`
    };

    /// Whether what arrives has to ring.
    ///
    /// | state    | the queue | the bell's token                    | leaves by                                             |
    /// |----------|-----------|-------------------------------------|-------------------------------------------------------|
    /// | `awake`  | awake     | none                                | `fall_asleep` → `asleep`                              |
    /// | `asleep` | asleep    | comes from the thread that wakes it | a wait that takes it → `awake`; `open` → `awake`, or  |
    /// |          |           |                                     | `rung` if a thread has woken the queue                |
    /// | `rung`   | awake     | has come, or is certain to          | `take_token` → `awake`                                |
    enum class Sleep : std::uint8_t { awake, asleep, rung };

    /// `open` until a job ends the loop, or its owner does: `left` until that job has returned, `ended` once it is torn down.
    enum class Life : std::uint8_t { open, left, ended };

    static constexpr const char* fork_rule = "a loop that a fork has copied is its parent's; make one in the child";

    /// Throws std::logic_error, naming the function, if a job has forked and this is the child: the rest is the parent's.
    void require_parent(const char* function) const {
        if (is_inherited()) [[unlikely]]
            throw_not_at_home(function);
    }

    void ring() noexcept;
    void open() noexcept;
    void take_token() noexcept;
    bool try_post_own(Job& job) noexcept;
    bool fire_next() noexcept;
    void look_for_due() noexcept;

    /// Tells arbiters when the loop takes what was posted, if they have asked. See core::Pace.
    void note_look() noexcept {
        if (agent_.pace().is_wanted()) [[unlikely]]
            agent_.pace().look(core::Pace::now());
    }

    void take_posted() noexcept {
        if (!arrived_.is_empty()) {  // awake, as after `open`, if it is empty
            open();
            arrived_.take_all(own_);
        }
        ready_.take_all(own_);
    }

    /// Gathers what there is to run: what was posted, and what is due.
    void refill() noexcept {
        take_posted();
        if (!timers_.is_empty()) look_for_due();
    }

    /// Whether there may be anything to run that was gathered.
    bool has_gathered() const noexcept { return has_due_ || !ready_.is_empty(); }

    /// Runs one job or fires one timer of what was gathered: by turns, so that neither waits for all of the others. Returns
    /// whether there was one.
    bool run_next() noexcept {
        if (has_due_ && fire_in_turn()) return true;
        if (ready_.is_empty()) return false;
        run_job();
        return true;
    }

    bool fire_in_turn() noexcept { return (is_timers_turn_ || ready_.is_empty()) && fire_next(); }

    /// Requires that there is a job.
    void run_job() noexcept {
        is_timers_turn_ = true;
        Job& job = ready_.pop_front();
        begin_job();
        core::probe::job_begins();
        job.run();
        core::probe::job_ends();
    }

    /// What comes before each job and each timer.
    void begin_job() noexcept {
        *agent_.slot_ = &agent_;  // a job before may have left another agent as the current one
        // A job may run its host's loop, which has forgotten the call that this poll answers.
        if (wake_) [[unlikely]]
            announce();
    }

    void keep_readable() noexcept;
    void set_host_alarm() noexcept;
    void call_host() noexcept;
    bool fall_asleep() noexcept;
    void sleep() noexcept;
    void await_arrival() noexcept;
    void announce() noexcept;
    void announce_own() noexcept;
    /// Whether what was posted by this thread needs no announcement. While jobs run a handle stays as readable as it was when `poll`
    /// was called; a `poll` within a job makes it exact. No host's turn can begin within a job.
    bool is_surely_called() const noexcept {
        return driver_ == Driver::thread ? is_running() : driver_ == Driver::handle && sleep_ == Sleep::rung;
    }

    bool has_bell_alarm() const noexcept { return driver_ == Driver::handle || driver_ == Driver::thread; }

    void work_started_in_host() noexcept;
    void end_engine_turn() noexcept;
    /// When the bell is to have the loop called or woken at the latest.
    core::TimerWheel::TimePoint next_alarm() const noexcept { return std::min(timers_.next_deadline(), next_look_); }
    /// Tells the host whether anything can still happen.
    void refresh_alive() noexcept {
        if (driver_ >= Driver::thread) [[unlikely]]
            tell_alive();
    }
    void tell_alive() noexcept;
    void set_alive(bool is_alive) noexcept;
    void throw_unhandled() {
        if (!unhandled_.is_empty()) [[unlikely]]
            deal_with_unhandled();
    }
    void deal_with_unhandled();
    [[noreturn]] void throw_not_at_home(const char* function) const;
    bool has_own_jobs() const noexcept { return !ready_.is_empty() || !own_.is_empty() || !unhandled_.is_empty(); }
    bool has_jobs() const noexcept { return has_own_jobs() || arrived_.has_jobs(); }

    const char* const name_;  // of the loop's class, for errors

    // For any thread.
    JobQueue arrived_;
    platform::Doorbell bell_;
    const std::function<void()> wake_;
    std::shared_ptr<core::HostWaker> waker_;
    const std::function<void(core::TimerWheel::TimePoint)> alarm_;  // the loop's own thread, as the next
    std::function<void(bool)> keep_alive_;

    // For the loop's own thread.
    JobList own_;      // posted by the loop's own thread while nothing else had arrived: older than what arrives later
    ReadyJobs ready_;  // to be run next
    UnhandledExceptions unhandled_;
    bool has_due_ = false;  // timers may be due
    bool is_timers_turn_ = true;
    bool has_run_out_for_jobs_ = false;  // the last `poll` had only time for timers
    Driver driver_;
    Sleep sleep_ = Sleep::awake;
    Life life_ = Life::open;
    bool is_called_ = false;   // `announce` has called the host's `wake` since the last `poll` began
    bool is_awaited_ = false;  // so has the loop's own thread in any way: the host goes on until it polls
    bool is_alive_ = false;    // the host was told to go on
    platform::SleepForecast next_sleep_;
    int depth_ = 0;         // of runs within runs
    std::size_t work_ = 0;  // what keeps `run` from returning
    core::TimerWheel timers_;
    core::TimerWheel::TimePoint alarm_time_ = core::TimerWheel::TimePoint::max();  // what the host's timer is armed for
    std::shared_ptr<const std::function<void(std::exception_ptr)>> unhandled_handler_;  // shared with a call of it
    ReusedMemory memory_;
    Agent agent_;
    EnginePace engine_pace_{agent_.pace()};                                       // of a hosted loop
    core::TimerWheel::TimePoint next_look_ = core::TimerWheel::TimePoint::max();  // then arbiters are told more
};

}  // namespace futon::detail
