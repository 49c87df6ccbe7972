// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <futon/agent.hpp>
#include <futon/deadline.hpp>
#include <futon/executor.hpp>

namespace futon {

namespace detail {

class LoopCore;

/// A function that `post_at` has armed; shared by its loop and its handle.
class TimedJob : public Timer {
public:
    void retain() noexcept { ++references_; }
    void release() noexcept {
        if (--references_ == 0) delete this;
    }

    bool is_pending() const noexcept { return is_pending_; }

    /// Throws  std::logic_error on another thread
    bool cancel();

    void discard() noexcept final;

protected:
    explicit TimedJob(Executor& executor) noexcept;
    virtual ~TimedJob() = default;

    /// Destroys the function, and what it holds.
    virtual void drop() noexcept = 0;

    /// The timer has fired. Its loop's reference passes to the caller.
    void begin_firing() noexcept;

    Executor& executor_;

private:
    const void* home_;  // the slot of the thread it belongs to
    std::uint32_t references_ = 1;
    bool is_pending_ = true;
};

}  // namespace detail

/// What `post_at` and `post_after` return. Dropping it changes nothing: the function runs.
///
/// Threads  the loop's own.
class TimerHandle {
public:
    TimerHandle() noexcept = default;
    TimerHandle(TimerHandle&& other) noexcept : job_(std::exchange(other.job_, nullptr)) {}
    TimerHandle& operator=(TimerHandle&& other) noexcept {
        TimerHandle taken(std::move(other));
        std::swap(job_, taken.job_);
        return *this;
    }
    ~TimerHandle() {
        if (job_ != nullptr) job_->release();
    }

    /// Takes the function back and destroys it. Returns whether this call did: false if it has run or is running, was
    /// cancelled before, or if its loop has ended.
    ///
    /// Throws  std::logic_error on another thread than the loop's; the timer is unchanged
    bool cancel() { return job_ != nullptr && job_->cancel(); }

    /// Whether the function is still to run.
    bool is_pending() const noexcept { return job_ != nullptr && job_->is_pending(); }

private:
    friend struct TimerHandleAccess;
    explicit TimerHandle(detail::TimedJob& job) noexcept : job_(&job) { job.retain(); }

    detail::TimedJob* job_ = nullptr;
};

struct TimerHandleAccess {
    static TimerHandle handle_of(detail::TimedJob& job) noexcept { return TimerHandle(job); }
};

namespace core {

/// What `EventLoop` and `LoopExecutor` share: an executor with a queue of jobs, timers and retraction, which is the agent of
/// the thread that made it.
///
/// Jobs run one after the other, in the order they were posted. Timers fire by their deadlines, to about a microsecond; a
/// timer that is due is a job among jobs: due timers and posted jobs run by turns.
///
/// Teardown  destroying it dequeues its waits, ends the coroutines that wait on it (futon's own are destroyed, others
///           resumed; see Agent), and discards what was posted. An exception that was not taken is dropped. None of its
///           own jobs may destroy it.
/// Threads   the one that made it, but for `post`, which any thread may call while the loop lives.
/// Errors    what a posted function throws, and what a rejected promise carries that was not observed, leaves from the
///           function that runs the jobs, after the job that caused it; the loop stays usable.
class LoopBase : public Executor {
public:
    LoopBase(const LoopBase&) = delete;
    LoopBase& operator=(const LoopBase&) = delete;

    /// Runs `f()` on the loop, after everything that was posted before. Any thread.
    ///
    /// Throws  std::bad_alloc, and what copying `f` throws
    template <std::invocable F>
    void post(F&& f) {
        post(*new Function<std::decay_t<F>>(*this, std::forward<F>(f)));
    }

    /// Runs `f()` on the loop, not before `deadline`. The loop's own thread only.
    ///
    /// Returns  a handle that can cancel it
    /// Throws   std::bad_alloc, and what copying `f` throws
    template <std::invocable F>
    TimerHandle post_at(Deadline deadline, F&& f) {
        auto& function = *new TimedFunction<std::decay_t<F>>(*this, std::forward<F>(f));
        TimerHandle handle = TimerHandleAccess::handle_of(function);
        work_started();
        arm(function, deadline.time_point());
        return handle;
    }

    /// Runs `f()` on the loop, once this time has passed. As `post_at`.
    template <class Rep, class Period, std::invocable F>
    TimerHandle post_after(std::chrono::duration<Rep, Period> time, F&& f) {
        return post_at(Deadline(time), std::forward<F>(f));
    }

    void post(Job& job) noexcept override;
    bool retract(Job& job) noexcept override;
    bool keeps_timers() const noexcept override { return true; }
    void arm(Timer& timer, std::chrono::steady_clock::time_point time) noexcept override;
    void disarm(Timer& timer) noexcept override;
    void work_started() noexcept override;
    void work_finished() noexcept override;
    void report_unhandled(std::exception_ptr exception) noexcept override;

protected:
    /// `wake` is called, by any thread, whenever the host should run the loop's jobs; a loop that sleeps by itself has none.
    ///
    /// Throws  std::bad_alloc
    LoopBase(CanBlock can_block, std::function<void()> wake);
    ~LoopBase();

    detail::LoopCore& loop() const noexcept { return *loop_; }

private:
    template <class F>
    class Function final : public Job {
    public:
        template <class G>
        Function(LoopBase& loop, G&& f) : loop_(loop), f_(std::forward<G>(f)) {}

        void run() noexcept override {
            const std::unique_ptr<Function> self(this);
            loop_.guarded(f_);
        }
        void discard() noexcept override { delete this; }

    private:
        LoopBase& loop_;
        F f_;
    };

    template <class F>
    class TimedFunction final : public detail::TimedJob {
    public:
        template <class G>
        TimedFunction(LoopBase& loop, G&& f) : TimedJob(loop), loop_(loop), f_(std::forward<G>(f)) {}

        void fire() noexcept override {
            begin_firing();
            loop_.guarded(*f_);
            f_.reset();
            release();
        }

    private:
        void drop() noexcept override { f_.reset(); }

        LoopBase& loop_;
        std::optional<F> f_;
    };

    template <class F>
    void guarded(F& f) noexcept {
        try {
            f();
        } catch (...) {
            report_unhandled(std::current_exception());
        }
    }

    const std::unique_ptr<detail::LoopCore> loop_;
};

}  // namespace core

}  // namespace futon
