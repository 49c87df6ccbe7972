// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <functional>
#include <utility>

#include <futon/core/loop_base.hpp>
#include <futon/detail/chrono.hpp>
#include <futon/detail/export.hpp>

namespace futon::core {

/// The executor of a loop that is not futon's: a toolkit's, a game's, a framework's. It needs one function, which makes that
/// loop call `poll` soon, from any thread; queue, retraction, timers, the agent and its teardown come with it.
///
///     futon::core::LoopExecutor executor([&]() noexcept { host.wake(); });
///     while (host.runs()) {
///         host.wait_until(executor.next_deadline());
///         executor.poll();
///     }
///
/// While it lives it is the agent of the thread that made it: promises, coroutines and timers of that thread run in `poll`.
///
/// Requires  `wake` stays callable until this is destroyed; it does not throw, and calls nothing of this executor. It takes
///           no lock that the loop's own thread holds while it polls, destroys this, or destroys what waits here: that
///           thread waits for a `wake` that is running.
class FUTON_API LoopExecutor : public LoopBase {
public:
    /// Throws  std::invalid_argument if `wake` is an empty function; std::bad_alloc, and what copying `wake` throws
    template <std::invocable F>
        requires std::copy_constructible<F>
    explicit LoopExecutor(F wake, CanBlock can_block = CanBlock::no)
        : LoopBase(can_block, "futon::core::LoopExecutor", checked(std::function<void()>(std::move(wake)))) {}
    ~LoopExecutor() override;

    /// Runs what is ready now, timers that are due included, and does not wait: what that posts again is left for the next
    /// time, and `wake` is called for it. May be called within a job, by a host whose loop that job runs (a modal dialog):
    /// if more is to be run, `wake` is called before the job begins.
    ///
    /// Returns  whether there was anything to run.
    bool poll();

    /// The same, until that time is over, but one job at least, if there is one; the rest is left for the next time, and `wake`
    /// is called for it. For a frame or a host's turn, whose own work is not to wait for a crowd of jobs. A job is not
    /// interrupted.
    bool poll(std::chrono::nanoseconds budget);

    /// Runs one job, or fires one timer.
    bool poll_one() { return poll(std::chrono::nanoseconds::zero()); }

    /// When `poll` has something to do at the latest if `wake` is not called before: `min()` for now, `max()` for never.
    std::chrono::steady_clock::time_point next_deadline() const noexcept;

    /// Whether anything can still happen: a job, a function of `post_at`, or a pending wait that was not unref'd, whose
    /// deadline does not count then either. For a host that ends by itself.
    bool has_work() const noexcept;

protected:
    /// `alarm` is called with the time of the next timer, `max()` for none, whenever the loop goes to sleep: before jobs too,
    /// for they may run the host's loop. Where there is one, `wake` is not called for timers that are not due. `name` is the
    /// derived class's, for errors; it outlives the executor.
    ///
    /// Throws  std::bad_alloc
    LoopExecutor(std::function<void()> wake, std::function<void(std::chrono::steady_clock::time_point)> alarm,
                 CanBlock can_block, const char* name);

private:
    static std::function<void()> checked(std::function<void()> wake);
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
