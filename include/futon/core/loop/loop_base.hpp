// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

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
#include <futon/detail/chrono.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/loop/kept_call.hpp>
#include <futon/executor.hpp>
#include <futon/promise.hpp>

namespace futon {

namespace detail {

class LoopCore;

/// A function that `post_at` has scheduled; its loop and its handle share it.
class FUTON_API TimedJob : public Timer {
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
    ~TimedJob() override = default;

    /// Destroys the function and its captures.
    virtual void drop() noexcept = 0;

    /// The timer has fired. The caller takes over the loop's reference.
    void begin_firing() noexcept;

    Executor& executor_;

private:
    const void* home_;  // the slot of the thread that it belongs to
    std::uint32_t references_ = 1;
    bool is_pending_ = true;
};

}  // namespace detail

/// What `post_at` and `post_after` return: it can cancel the function. Dropping it changes nothing; the function will
/// still run.
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

    /// Cancels and destroys the function. Returns whether this call did so: false if it has run or is running, was
    /// cancelled before, or its loop has ended.
    ///
    /// Throws  std::logic_error on another thread than the loop's; the timer is unchanged then
    bool cancel() { return job_ != nullptr && job_->cancel(); }

    /// Whether the function has yet to run.
    bool is_pending() const noexcept { return job_ != nullptr && job_->is_pending(); }

private:
    friend struct TimerHandleAccess;
    explicit TimerHandle(detail::TimedJob& job) noexcept : job_(&job) { job.retain(); }

    detail::TimedJob* job_ = nullptr;
};

/// Makes handles, for loops.
struct TimerHandleAccess {
    /// The handle of a scheduled function.
    static TimerHandle handle_of(detail::TimedJob& job) noexcept { return TimerHandle(job); }
};

namespace core {
class LoopBase;
}

/// Keeps its loop running: while a guard lives, `run` does not return for lack of work. Returned by `keep_running`. A
/// host sees it in `LoopExecutor::has_work`.
///
/// Threads   any, one at a time. If another thread than the loop's drops it, it ends in a job of the loop.
/// Requires  the loop outlives it; functions posted to the loop may hold it.
class [[nodiscard]] FUTON_API WorkGuard {
public:
    WorkGuard(WorkGuard&& other) noexcept : end_(std::exchange(other.end_, nullptr)) {}
    WorkGuard& operator=(WorkGuard&& other) noexcept {
        WorkGuard taken(std::move(other));
        std::swap(end_, taken.end_);
        return *this;
    }
    ~WorkGuard() { reset(); }

    /// Lets the loop end. Does nothing on a guard that was moved from or reset.
    void reset() noexcept;

private:
    friend class core::LoopBase;
    class End;
    explicit WorkGuard(End& end) noexcept : end_(&end) {}

    End* end_;
};

namespace core {

/// The common part of `EventLoop` and `LoopExecutor`: an executor with a queue of jobs, timers and retraction, and the
/// agent of the thread that made it.
///
/// Jobs run one after the other, in the order of posting. Timers fire in the order of their deadlines, to about a
/// microsecond. Due timers and posted jobs take turns in a run; a `poll` fires timers first, a thousand at the most.
///
/// Teardown  destroying it dequeues its waits, ends the coroutines that wait on it (futon's own are destroyed, others
///           resumed; see Agent), and discards posted jobs. An exception that was not taken is dropped. None of its own
///           jobs may destroy it.
/// Threads   only the thread that made it, except for `post`, which any thread may call while the loop lives. On
///           another thread its functions throw std::logic_error, or end the program if they are noexcept.
/// Errors    an exception of a posted function, or of a rejected promise that was not observed, leaves from the
///           function that runs the jobs, after the job that caused it; the loop stays usable. This needs no memory
///           until sixteen exceptions are pending. If there is no memory for a further one, it is lost, and a
///           std::bad_alloc leaves in its place.
class FUTON_API LoopBase : public Executor {
public:
    LoopBase(const LoopBase&) = delete;
    LoopBase& operator=(const LoopBase&) = delete;

    /// Runs `f()` on the loop, after all earlier posts. Any thread.
    ///
    /// If `f` returns a `Promise`, as a coroutine does, `f` and its captures live until that promise has settled. If
    /// there is no memory for that, `f` is not called, and std::bad_alloc goes where exceptions of `f` go.
    ///
    /// Throws  std::bad_alloc, and what copying `f` throws; std::logic_error in a child process that inherited the
    ///         loop. `f` is not called then
    template <std::invocable F>
    void post(F&& f) {
        post_to_run(*new Function<std::decay_t<F>>(*this, std::forward<F>(f)));
    }

    /// Runs `f()` on the loop, not before `deadline`. Otherwise as `post`, but only on the loop's own thread.
    ///
    /// Returns  a handle that can cancel it
    /// Throws   std::logic_error on another thread; std::bad_alloc, and what copying `f` throws. `f` is not called then
    template <std::invocable F>
    TimerHandle post_at(Deadline deadline, F&& f) {
        return post_timed("post_at", deadline, std::forward<F>(f));
    }

    /// Runs `f()` on the loop after this time. Otherwise as `post_at`.
    template <class Rep, class Period, std::invocable F>
    TimerHandle post_after(std::chrono::duration<Rep, Period> time, F&& f) {
        return post_timed("post_after", Deadline(time), std::forward<F>(f));
    }

    // A near miss. Compilers quote the line that declares a deleted function, and with it the advice.
    template <class Number>
        requires std::is_arithmetic_v<Number>
    void post_after(Number, auto&&) = delete;  // futon: a time has a unit: write post_after(5ms, f)

    /// Keeps the loop running while the guard lives, even if nothing is left to do.
    ///
    /// Throws  std::logic_error on another thread than the loop's; std::bad_alloc
    WorkGuard keep_running();

    /// Ends the loop's waits for good, and keeps the loop. Use it before leaving a loop to which other threads still
    /// post: no notify and no lock goes to it any more.
    ///
    /// Pending waits leave their queues. If a wake-up or a lock was on its way to one of them, it goes to the next
    /// waiter. Waiting coroutines end as at the loop's end, and with them their guards. The same holds for a coroutine
    /// whose promise has settled but which has not resumed yet: a function of `then` is not called. A new wait throws
    /// NoExecutor. Posted jobs and timers still run. A running coroutine continues, even through settled promises,
    /// until it begins a wait; calling `close` again ends its awaiter.
    ///
    /// Threads  the loop's own; also within a job. Blocking calls of a loop that may block are unaffected
    /// Blocks   until each wake-up that another thread has begun is posted
    /// Throws   std::logic_error on another thread
    void close();

    /// Whether `close` was called. Only the loop's own thread.
    bool is_closed() const noexcept;

    /// Passes to `handler` each exception that would leave from `run`, `run_until` or `poll`: of a posted function, or
    /// of a rejected promise that was not observed. It is called on the loop, after the job that caused the exception.
    /// What it throws leaves instead of the exception. An empty function removes the handler.
    ///
    /// Use it if a host that expects no exceptions calls the loop's `poll`.
    ///
    /// Throws  std::logic_error on another thread than the loop's; std::bad_alloc: the previous handler stays then
    void set_unhandled_handler(std::function<void(std::exception_ptr)> handler);

    void post(Job& job) noexcept override;
    bool retract(Job& job) noexcept override;
    bool retract_posted(Job& job) noexcept override;
    bool keeps_timers() const noexcept override { return true; }
    void arm(Timer& timer, std::chrono::steady_clock::time_point time) noexcept override;
    void disarm(Timer& timer) noexcept override;
    void work_started() noexcept override;
    void work_finished() noexcept override;
    void report_unhandled(std::exception_ptr exception) noexcept override;

protected:
    /// Any thread calls `wake` whenever the host should run the loop's jobs; a loop that sleeps by itself has none. The
    /// loop's thread calls `alarm` with the time of its next timer; a host without timers has none. `name` is the
    /// derived class's name in errors; it outlives the loop.
    ///
    /// Throws  std::bad_alloc
    LoopBase(CanBlock can_block, const char* name, std::function<void()> wake,
             std::function<void(std::chrono::steady_clock::time_point)> alarm = nullptr);
    virtual ~LoopBase();

    /// The implementation.
    detail::LoopCore& loop() const noexcept { return *loop_; }

private:
    friend class futon::WorkGuard;

    /// Throws  std::logic_error, which names the class and the function, on another thread than the loop's
    void require_home(const char* function) const;

    template <class F>
    TimerHandle post_timed(const char* name, Deadline deadline, F&& f) {
        require_home(name);
        auto& function = *new TimedFunction<std::decay_t<F>>(*this, std::forward<F>(f));
        TimerHandle handle = TimerHandleAccess::handle_of(function);
        work_started();
        arm(function, deadline.time_point());
        return handle;
    }

    /// Throws  std::logic_error in a child process that inherited the loop, after discarding the job
    void post_to_run(Job& job);

    template <class F>
    class Function final : public Job {
    public:
        template <class G>
        Function(LoopBase& loop, G&& f) : loop_(loop), f_(std::forward<G>(f)) {}

        void run() noexcept override {
            const std::unique_ptr<Function> self(this);
            loop_.call(f_);
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
            loop_.call(*f_);
            f_.reset();
            release();
        }

    private:
        void drop() noexcept override { f_.reset(); }

        LoopBase& loop_;
        std::optional<F> f_;
    };

    /// Calls a function, which the caller destroys afterwards. If it returns a promise, the function is moved to where
    /// it lives longer.
    template <class F>
    void call(F& f) noexcept {
        try {
            if constexpr (detail::Unwrapped<std::remove_cv_t<std::invoke_result_t<F&>>>::is_promise) {
                static_cast<void>(detail::KeptCall<F>::begin(std::move(f)));
            } else {
                f();
            }
        } catch (...) {
            report_unhandled(std::current_exception());
        }
    }

    const std::unique_ptr<detail::LoopCore> loop_;
};

}  // namespace core

}  // namespace futon

#include <futon/detail/end.hpp>
