// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <functional>
#include <utility>

#include <futon/core/loop/loop_base.hpp>
#include <futon/detail/chrono.hpp>
#include <futon/detail/export.hpp>

namespace futon::core {

/// The executor for another library's loop: a toolkit's, a game's, a framework's. It needs one function, which makes
/// that loop call `poll` soon, from any thread. It brings the queue, retraction, timers, the agent and its teardown.
///
///     futon::core::LoopExecutor executor([&]() noexcept { host.wake(); });
///     while (host.runs()) {
///         host.wait_until(executor.next_deadline());
///         executor.poll();
///     }
///
/// While it lives it is the agent of the thread that made it: promises, coroutines and timers of that thread run in
/// `poll`.
///
/// Requires  `wake` stays callable until this is destroyed. It does not throw, and does not call this executor. It
///           takes no lock that the loop's own thread holds while it polls, destroys this, or destroys what waits here:
///           that thread waits for a running `wake`.
class FUTON_API LoopExecutor : public LoopBase {
public:
    /// Throws  std::invalid_argument if `wake` is an empty function; std::bad_alloc, and what copying `wake` throws
    template <std::invocable F>
        requires std::copy_constructible<F>
    explicit LoopExecutor(F wake, CanBlock can_block = CanBlock::no)
        : LoopBase(can_block, "futon::core::LoopExecutor", checked(std::function<void()>(std::move(wake)))) {}
    ~LoopExecutor() override;

    /// Fires the timers that are due, and runs the jobs that are ready then, without waiting. Jobs that jobs post are left for
    /// the next call, and `wake` is called for them. A job may run the host's loop (a modal dialog), which may call this within the
    /// job: if more must run, `wake` is called before the job begins.
    ///
    /// Returns  whether there was anything to run.
    bool poll();

    /// The same, but stops after this time. At least one job runs if there is one; the remaining ones are left for the
    /// next call, in which jobs come first if this one had time for timers only, and `wake` is called for them. No job is
    /// interrupted. Use it in a frame or in a host's turn, whose own work must not wait for many jobs.
    bool poll(std::chrono::nanoseconds budget);

    /// Runs one job, or fires one timer.
    bool poll_one();

    /// When `poll` has work at the latest, if `wake` is not called before: `min()` for now, `max()` for never.
    std::chrono::steady_clock::time_point next_deadline() const noexcept;

    /// Whether anything can still happen: a job, a function of `post_at`, or a pending wait. Unref'd waits do not
    /// count, nor do their deadlines. For a host that ends by itself.
    bool has_work() const noexcept;

protected:
    /// `alarm` is called with the time of the next timer, `max()` for none, whenever the loop goes to sleep; also
    /// before each job, because the job may run the host's loop. With an `alarm`, `wake` is not called for timers that
    /// are not due. `name` is the derived class's name in errors; it outlives the executor.
    ///
    /// Throws  std::bad_alloc
    LoopExecutor(std::function<void()> wake, std::function<void(std::chrono::steady_clock::time_point)> alarm,
                 CanBlock can_block, const char* name);

private:
    static std::function<void()> checked(std::function<void()> wake);
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
