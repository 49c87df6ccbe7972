// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

#include <futon/core/host_waker.hpp>
#include <futon/core/loop_executor.hpp>
#include <futon/detail/chrono.hpp>
#include <futon/detail/export.hpp>

namespace futon::core {

/// An executor that runs in the callbacks of another loop, which may be C: libuv's, GLib's, Qt's. What adapters derive from:
/// they say how that loop is woken, and how its one timer is armed, and call `run_ready`.
///
///     host's callback          calls
///     woken by `wake`          run_ready()
///     the timer has fired      timer_fired()
///
/// Errors    no exception leaves `run_ready`: what jobs throw, and what rejected promises carry that were not observed, goes to
///           the unhandled handler, and ends the program (std::terminate) where none is set or it throws itself
/// Teardown  the derived class's destructor calls `finish` first. `Ender` ends a loop within a job of its own, too
/// Threads   the one that made it, but for `post`.
class FUTON_API HostedLoop : public LoopExecutor {
public:
    /// The deleter of a loop's owner. Within a job of the loop it closes it (see LoopBase::close): no other job is run from then
    /// on, and the loop is deleted once that job has returned. Another loop is not made before that on this thread.
    struct FUTON_API Ender {
        void operator()(HostedLoop* loop) const noexcept;
    };

    void work_started() noexcept override;
    void work_finished() noexcept override;

protected:
    /// `name` is the one that errors give to the class; it outlives the loop.
    explicit HostedLoop(CanBlock can_block = CanBlock::no, const char* name = "futon::core::HostedLoop");
    ~HostedLoop() override;

    /// Other threads call this waker from now on, instead of `wake`. For the derived class's constructor, once.
    void set_waker(std::shared_ptr<HostWaker> waker) noexcept;

    /// Runs what is ready, for four milliseconds at most but for the last job, and sees to it that the host calls when there is
    /// more. May end with the loop deleted.
    void run_ready() noexcept;

    /// As `run_ready`, where the host's timer is not armed any more.
    void timer_fired() noexcept;

    /// Ends the loop, as destroying it does, while the derived class can still be called. Then the host is not called any more.
    void finish() noexcept;

private:
    using TimePoint = std::chrono::steady_clock::time_point;

    /// Makes the host call `run_ready` soon, on the loop's thread. Any thread; takes no lock as LoopExecutor says.
    virtual void wake() noexcept = 0;

    /// Arms the host's timer, instead of what it was armed for; `max()` disarms it.
    virtual void set_timer(TimePoint time) noexcept = 0;

    /// Whether the host's loop is to go on although it has nothing else to do: something can still happen here. At first it
    /// is not. For hosts that end by themselves.
    virtual void keep_alive(bool /*is_alive*/) noexcept {}

    void called() noexcept;
    void refresh() noexcept;

    const void* home_;  // the slot of the thread it belongs to
    std::size_t work_ = 0;
    int running_ = 0;         // of runs within runs
    bool is_called_ = false;  // by a job of this thread, which is still to be run
    bool is_alive_ = false;
    bool is_left_ = false;  // its owner has ended it in a job
    bool is_finished_ = false;
};

/// What an adapter's loop offers of the loop that it owns. The functions are those of LoopBase.
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
    WorkGuard keep_running() { return loop_->keep_running(); }
    void close() { loop_->close(); }
    bool is_closed() const noexcept { return loop_->is_closed(); }
    bool has_work() const noexcept { return loop_->has_work(); }
    void set_unhandled_handler(std::function<void(std::exception_ptr)> handler) {
        loop_->set_unhandled_handler(std::move(handler));
    }

    /// For what takes any executor.
    LoopExecutor& executor() const noexcept { return *loop_; }

protected:
    explicit HostedLoopOwner(Loop* loop) noexcept : loop_(loop) {}
    ~HostedLoopOwner() = default;

    /// What the loop consists of.
    Loop& loop() const noexcept { return *loop_; }

private:
    const std::unique_ptr<Loop, HostedLoop::Ender> loop_;
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
