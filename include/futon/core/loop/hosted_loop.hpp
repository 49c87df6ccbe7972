// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <chrono>
#include <concepts>
#include <exception>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <futon/core/loop/host_waker.hpp>
#include <futon/core/loop/loop_executor.hpp>
#include <futon/core/operation/pace.hpp>
#include <futon/core/operation/poll_pace.hpp>
#include <futon/detail/chrono.hpp>
#include <futon/detail/export.hpp>

namespace futon::core {

/// An executor that runs in the callbacks of another loop, which may be written in C: libuv, GLib, Qt. Adapters derive
/// from it: they implement how that loop is woken and how its one timer is armed, and call `run_ready`.
///
///     host's callback                           calls
///     woken by `wake`                           run_ready()
///     the timer has fired                       timer_fired()
///     about to wait for events, if it tells     host_sleeps()
///     back from that                            host_woke()
///
/// Errors    no exception leaves `run_ready`. Exceptions of jobs, and of rejected promises that were not observed, go
///           to the unhandled handler. If there is none, or it throws, the program ends (std::terminate)
/// Teardown  the derived class's destructor calls `finish` first. With `Ender`, one of its own jobs may end the loop
/// Threads   only the thread that made it, except for `post`.
class FUTON_API HostedLoop : public LoopExecutor {
public:
    /// The deleter for a loop's owner. If it runs within a job of the loop, it closes the loop (see LoopBase::close):
    /// no other job runs from then on, and the loop is deleted once that job has returned. This thread cannot make
    /// another loop before that.
    struct FUTON_API Ender {
        void operator()(HostedLoop* loop) const noexcept;
    };

protected:
    /// `name` is the class's name in errors; it outlives the loop.
    explicit HostedLoop(CanBlock can_block = CanBlock::no, const char* name = "futon::core::HostedLoop");
    ~HostedLoop() override;

    /// From now on other threads call this waker instead of `wake`. Call it once, in the derived class's constructor.
    void set_waker(std::shared_ptr<HostWaker> waker) noexcept;

    /// Runs what is ready, for at most four milliseconds plus the last job, and makes the host call again if there is
    /// more. The loop may be deleted afterwards.
    void run_ready() noexcept;

    /// As `run_ready`, but the host's timer is no longer armed.
    void timer_fired() noexcept;

    /// The host's loop polls for events next, and runs no code before it calls `host_woke`. Threads that release a lock learn from it
    /// that a task of this loop comes at once, also if the loop was busy just now. If the poll does not wait, call both none the less.
    ///
    ///     adapter.host_sleeps();
    ///     host.poll(timeout);
    ///     adapter.host_woke();
    ///
    /// Cost  a few loads, unless an arbiter has asked for this loop within the last second: then it reads the clock
    void host_sleeps() noexcept;

    /// The host's loop runs code again. May be called without `host_sleeps`.
    void host_woke() noexcept;

    /// Whether the host calls `run_ready` in this turn though `wake` was not called. For hosts that decide after the poll what to run,
    /// and run other things first: what is posted meanwhile is then run in this turn, not in the next.
    ///
    /// Returns  false if no arbiter asks, and within half a millisecond of the last `true`: a host that runs nothing else in a
    ///          turn that runs jobs comes to everything in the next one
    bool should_look() noexcept;

    /// Whether an arbiter has asked for this loop within the last second, and so is told when it looks at its jobs and when it sleeps.
    /// False in the child of a fork.
    bool is_wanted() noexcept;

    /// What arbiters are told, for hosts whose callbacks run within the poll.
    PollPace& pace() noexcept { return pace_; }

    /// Ends the loop, as its destructor would, while the derived class can still be called. The host is not called
    /// afterwards.
    void finish() noexcept;

private:
    using TimePoint = std::chrono::steady_clock::time_point;

    /// Makes the host call `run_ready` soon, on the loop's thread. Any thread. About locks it obeys the rule of
    /// LoopExecutor.
    virtual void wake() noexcept = 0;

    /// Arms the host's timer for this time only; `max()` disarms it.
    virtual void set_timer(TimePoint time) noexcept = 0;

    /// Says whether the host's loop must go on although it has nothing else to do, because something can still happen
    /// here. Initially false. For hosts that end by themselves.
    virtual void keep_alive(bool /*is_alive*/) noexcept {}

    PollPace pace_;
    Pace::Time asked_to_look_ = 0;  // when `should_look` said so last
};

/// The part of an adapter's loop that forwards to the loop that it owns. Its functions are LoopBase's.
template <std::derived_from<HostedLoop> Loop>
class HostedLoopOwner {
public:
    HostedLoopOwner(const HostedLoopOwner&) = delete;
    HostedLoopOwner& operator=(const HostedLoopOwner&) = delete;

    /// Any thread.
    template <std::invocable F>
    void post(F&& f) {
        loop_->post(std::forward<F>(f));
    }
    template <std::invocable F>
    TimerHandle post_at(Deadline deadline, F&& f) {
        return loop_->post_at(deadline, std::forward<F>(f));
    }
    template <class Rep, class Period, std::invocable F>
    TimerHandle post_after(std::chrono::duration<Rep, Period> time, F&& f) {
        return loop_->post_after(time, std::forward<F>(f));
    }
    template <class Number>
        requires std::is_arithmetic_v<Number>
    void post_after(Number, auto&&) = delete;  // futon: a time has a unit: write post_after(5ms, f)
    WorkGuard keep_running() { return loop_->keep_running(); }
    void close() { loop_->close(); }
    bool is_closed() const noexcept { return loop_->is_closed(); }
    bool has_work() const noexcept { return loop_->has_work(); }
    void set_unhandled_handler(std::function<void(std::exception_ptr)> handler) {
        loop_->set_unhandled_handler(std::move(handler));
    }

    /// For functions that take any executor.
    LoopExecutor& executor() const noexcept { return *loop_; }

protected:
    explicit HostedLoopOwner(Loop* loop) noexcept : loop_(loop) {}
    ~HostedLoopOwner() = default;

    /// The owned loop.
    Loop& loop() const noexcept { return *loop_; }

private:
    const std::unique_ptr<Loop, HostedLoop::Ender> loop_;
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
