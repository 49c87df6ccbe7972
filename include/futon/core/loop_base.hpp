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
#include <futon/executor.hpp>
#include <futon/promise.hpp>

namespace futon {

namespace detail {

class LoopCore;

/// A function that `post_at` has armed; shared by its loop and its handle.
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

/// Makes handles, for loops.
struct TimerHandleAccess {
    /// The handle of a function that a loop keeps.
    static TimerHandle handle_of(detail::TimedJob& job) noexcept { return TimerHandle(job); }
};

namespace core {
class LoopBase;
}

/// Keeps its loop running: while one lives, `run` does not return because nothing is left to do. What `keep_running`
/// returns; also what tells a host, by `LoopExecutor::has_work`, that more is to come.
///
/// Threads   any, one at a time. Dropped on another thread than the loop's, it ends as a job of the loop.
/// Requires  the loop outlives it; what is posted to the loop may hold it.
class [[nodiscard]] FUTON_API WorkGuard {
public:
    WorkGuard(WorkGuard&& other) noexcept : end_(std::exchange(other.end_, nullptr)) {}
    WorkGuard& operator=(WorkGuard&& other) noexcept {
        WorkGuard taken(std::move(other));
        std::swap(end_, taken.end_);
        return *this;
    }
    ~WorkGuard() { reset(); }

    /// Lets the loop end. A guard that was moved from, or reset, does nothing.
    void reset() noexcept;

private:
    friend class core::LoopBase;
    class End;
    explicit WorkGuard(End& end) noexcept : end_(&end) {}

    End* end_;
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
/// Threads   the one that made it, but for `post`, which any thread may call while the loop lives. Elsewhere its functions
///           throw std::logic_error, or end the program where they are noexcept.
/// Errors    what a posted function throws, and what a rejected promise carries that was not observed, leaves from the
///           function that runs the jobs, after the job that caused it; the loop stays usable. That needs no memory, unless
///           sixteen exceptions are to leave already: then those for which there is none are lost, and a std::bad_alloc
///           leaves in their place.
class FUTON_API LoopBase : public Executor {
public:
    LoopBase(const LoopBase&) = delete;
    LoopBase& operator=(const LoopBase&) = delete;

    /// Runs `f()` on the loop, after everything that was posted before. Any thread.
    ///
    /// If `f` returns a `Promise`, as a coroutine does, `f` and what it captured live until that has settled. Where there is no
    /// memory for that, `f` is not called, and a std::bad_alloc goes where its exceptions go.
    ///
    /// Throws  std::bad_alloc, and what copying `f` throws; std::logic_error in the child of a fork that copied the loop. `f`
    ///         is not called then
    template <std::invocable F>
    void post(F&& f) {
        post_to_run(*new Function<std::decay_t<F>>(*this, std::forward<F>(f)));
    }

    /// Runs `f()` on the loop, not before `deadline`. As `post` otherwise, but the loop's own thread only.
    ///
    /// Returns  a handle that can cancel it
    /// Throws   std::logic_error on another thread; std::bad_alloc, and what copying `f` throws. `f` is not called then
    template <std::invocable F>
    TimerHandle post_at(Deadline deadline, F&& f) {
        require_home("post_at");
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

    /// Keeps the loop running while the guard lives, although nothing is left to do.
    ///
    /// Throws  std::logic_error on another thread than the loop's; std::bad_alloc
    WorkGuard keep_running();

    /// Ends the loop's waits for good, and keeps the loop: so that no notify and no lock goes to a loop that is about to be left,
    /// while other threads still post to it.
    ///
    /// Its pending waits leave their queues, and what was on its way to one of them, a wake-up or a lock, goes to the next
    /// waiter. Coroutines that waited end as at the loop's end; with them end the guards that they held. So do those whose
    /// promise has settled, if they have not gone on yet: a function of `then` is not called. A new wait throws NoExecutor.
    /// What is posted, and timers, run as before. The coroutine that runs goes on, through promises that settle, too, until it
    /// begins a wait; what awaits it is ended by closing once more.
    ///
    /// Threads  the loop's own; within a job too. Blocking calls of a loop that may block are not concerned
    /// Blocks   until a wake-up that another thread has begun is posted
    /// Throws   std::logic_error on another thread
    void close();

    /// Whether `close` was called. The loop's own thread.
    bool is_closed() const noexcept;

    /// Gives `handler` each exception that would leave from `run`, `run_until` or `poll`: what a posted function throws, and
    /// what a rejected promise carries that was not observed. It is called on the loop, in its place after the job that
    /// caused it; what it throws leaves in the exception's stead. An empty function takes the handler away.
    ///
    /// For a loop whose `poll` is called by a host that expects no exceptions.
    ///
    /// Throws  std::logic_error on another thread than the loop's; std::bad_alloc: the handler is the one from before then
    void set_unhandled_handler(std::function<void(std::exception_ptr)> handler);

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
    /// `alarm` is called on the loop's thread with the time of its next timer; a host without timers has none. `name` is the
    /// derived class's, for errors; it outlives the loop.
    ///
    /// Throws  std::bad_alloc
    LoopBase(CanBlock can_block, const char* name, std::function<void()> wake,
             std::function<void(std::chrono::steady_clock::time_point)> alarm = nullptr);
    virtual ~LoopBase();

    /// What the loop consists of.
    detail::LoopCore& loop() const noexcept { return *loop_; }

private:
    friend class futon::WorkGuard;

    /// Throws  std::logic_error, naming the class and the function, on another thread than the loop's
    void require_home(const char* function) const;

    /// Throws  std::logic_error in the child of a fork that copied the loop, once it has discarded the job
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

    /// Calls a function, which the caller destroys then. Where it returns a promise it is moved to where it lives for longer.
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
