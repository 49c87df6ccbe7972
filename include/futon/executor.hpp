// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <exception>

#include <futon/detail/chrono.hpp>
#include <futon/detail/export.hpp>
#include <futon/job.hpp>
#include <futon/timer.hpp>

namespace futon {

/// Runs an agent's continuations: on one thread, one after the other, in the order of posting.
///
/// `EventLoop` is one. For another library's loop (a toolkit's, a game's) use `core::LoopExecutor`; if that loop should
/// keep the jobs itself, derive from this, write `post`, and make an `Agent` of it.
///
///     struct UiExecutor final : futon::Executor {
///         void post(futon::Job& job) noexcept override { ui_queue.push([&job] { job.run(); }); }
///     };
///
/// An executor without an agent may run its jobs on changing threads: one at a time (a strand), or in parallel (a
/// thread pool). Coroutines await operations there with `await_on(executor, operation)`. "The executor's thread" then
/// means the thread that runs one of its jobs. An executor that runs jobs in parallel keeps no timers, and any of its
/// threads may call the functions that it overrides.
class FUTON_API Executor {
public:
    /// Runs `job` on the executor's thread later, never inside this call. An executor that has ended may discard the
    /// job here.
    ///
    /// Threads   any.
    /// Ordering  everything before this call happens before the job runs.
    /// Requires  the executor outlives the call.
    virtual void post(Job& job) noexcept = 0;

    /// Takes back a posted job. If another thread is about to post it, waits briefly until that is done. Executor's
    /// thread only.
    ///
    /// Returns  true: the job will neither run nor be discarded. An executor that never takes jobs back returns false.
    ///          Then a coroutine that waits there must not be destroyed while its wake-up is on the way: the program
    ///          ends.
    virtual bool retract(Job&) noexcept { return false; }

    /// The same for a job that was posted, without waiting. Returns false also where another thread is about to post it.
    virtual bool retract_posted(Job&) noexcept { return false; }

    /// Whether `arm` may be called. If not, waits on this executor cannot have a deadline (`NoExecutor`).
    virtual bool keeps_timers() const noexcept { return false; }

    /// Fires `timer` once, on the executor's thread, not before `time`. Executor's thread only.
    virtual void arm(Timer& timer, std::chrono::steady_clock::time_point time) noexcept;

    /// Forgets an armed timer. Executor's thread only.
    virtual void disarm(Timer& timer) noexcept;

    /// Called when a wait begins that will post here, so that a loop can tell whether anything is left to wait for;
    /// `work_finished` ends it. Executor's thread only.
    virtual void work_started() noexcept {}
    virtual void work_finished() noexcept {}

    /// Takes an unhandled exception: of a posted function, or of a rejected promise that was dropped unobserved. The
    /// default ends the program like an exception that leaves a thread.
    virtual void report_unhandled(std::exception_ptr exception) noexcept;

protected:
    ~Executor() = default;
};

}  // namespace futon

#include <futon/detail/end.hpp>
