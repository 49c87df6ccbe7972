// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <exception>

#include <futon/detail/chrono.hpp>
#include <futon/detail/export.hpp>
#include <futon/job.hpp>
#include <futon/timer.hpp>

namespace futon {

/// Where an agent's continuations run: on one thread, one after the other, in the order they were posted.
///
/// `EventLoop` is one. For a loop that is not futon's (a toolkit's, a game's) there is `core::LoopExecutor`; where that loop
/// should keep the jobs itself, derive from this, write `post`, and make an `Agent` of it.
///
/// An executor without an agent may run its jobs on changing threads: a strand, one at a time; a thread pool, beside each other.
/// Coroutines await operations there with `await_on(executor, operation)`. "The executor's thread" is then whichever runs one of
/// its jobs. One that runs jobs beside each other keeps no timers, and what it overrides here any of its threads may call.
class FUTON_API Executor {
public:
    /// Runs `job` on the executor's thread, later: never inside this call. An executor that has ended may discard the job here.
    ///
    /// Threads   any.
    /// Ordering  everything before this call happens before the job runs.
    /// Requires  the executor outlives the call.
    virtual void post(Job& job) noexcept = 0;

    /// Takes back a job. It has been posted, or another thread is about to post it: that takes an instant, for which this waits.
    /// Executor's thread only.
    ///
    /// Returns  true: the job will neither run nor be discarded. An executor that never takes jobs back says false; then a
    ///          coroutine that waits there must not be destroyed while its wake-up is on the way: the program ends.
    virtual bool retract(Job&) noexcept { return false; }

    /// Whether `arm` may be called. Where not, waits on this executor can have no deadline (`NoExecutor`).
    virtual bool keeps_timers() const noexcept { return false; }

    /// Fires `timer` once, on the executor's thread, not before `moment`. Executor's thread only.
    virtual void arm(Timer& timer, std::chrono::steady_clock::time_point time) noexcept;

    /// Forgets an armed timer. Executor's thread only.
    virtual void disarm(Timer& timer) noexcept;

    /// Told when a wait begins that will post here, and when it has ended; so that a loop can tell whether it has
    /// anything left to wait for. Executor's thread only.
    virtual void work_started() noexcept {}
    virtual void work_finished() noexcept {}

    /// Takes an exception that nothing else takes: of a posted function, or of a rejected promise that was dropped
    /// unobserved. Unless overridden, it ends the program as an exception that leaves a thread does.
    virtual void report_unhandled(std::exception_ptr exception) noexcept;

protected:
    ~Executor() = default;
};

}  // namespace futon

#include <futon/detail/end.hpp>
