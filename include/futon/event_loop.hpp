// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <memory>
#include <type_traits>
#include <utility>

#include <futon/agent.hpp>
#include <futon/core/loop_base.hpp>
#include <futon/detail/export.hpp>
#include <futon/native_handle.hpp>
#include <futon/promise.hpp>

namespace futon {

/// An event loop: the executor of a thread that must not block. While it lives it is the agent of the thread that made
/// it. Its jobs, timers and continuations always run under its own agent, also where another loop was made since.
///
/// Jobs run one after the other, in the order they were posted. Timers fire by their deadlines, to about a microsecond; a
/// timer that is due is a job among jobs: due timers and posted jobs run by turns, and before each of either `stop`, an
/// exception, or the promise of `run_until` ends the run.
///
/// Teardown  destroying it dequeues its waits, ends the coroutines that wait on it (futon's own are destroyed, others
///           resumed; see Agent), and discards what was posted. An exception that was not taken is dropped. None of its
///           own jobs may destroy it.
/// Threads   the one that made it, but for `post` and `stop`, which any thread may call while the loop lives. Elsewhere its
///           functions throw std::logic_error, or end the program where they are noexcept.
/// Errors    what a posted function throws, and what a rejected promise carries that was not observed, leaves from
///           `run`, `run_until` or `poll`, after the job that caused it; the loop stays usable. `set_unhandled_handler` has
///           them go elsewhere.
/// Hosts     a thread whose own event loop is not the program's, as in a browser, runs this one turn by turn: see `start`.
/// Fork      in a child a loop of the parent runs nothing more: its functions throw std::logic_error, also out of a run whose
///           job has forked. It can be destroyed by the thread that made it, and the parent's loop notices nothing of either.
class FUTON_API EventLoop final : public core::LoopBase {
public:
    /// On the main thread of a page, which may not block, the loop is started at once.
    ///
    /// Throws  std::bad_alloc; BlockingForbidden if the main thread of a page is to block; what `start` throws there
    explicit EventLoop(CanBlock can_block = CanBlock::no);
    ~EventLoop() override;

    /// Runs until nothing can happen any more: nothing is posted, no timer is armed, and no wait is pending except
    /// those that were unref'd; or until `stop`. A `keep_running` guard is something that can happen.
    ///
    /// Throws  std::logic_error on another thread than the loop's, as do all functions but `post` and `stop`; BlockingForbidden
    ///         where the thread's own loop runs this one, which `run` and `run_until` would keep waiting
    void run();

    /// Runs until `promise` has settled, and returns its value or throws its exception. Jobs that listened to it
    /// before have run by then.
    ///
    /// Goes on sleeping where `run` would return: what settles the promise may come from another thread.
    ///
    /// Throws  std::system_error (operation_canceled) if the loop was stopped before; std::logic_error if the promise's
    ///         own event loop has ended
    template <class T>
    T run_until(Promise<T>&& promise) {
        detail::PromiseState<T>& state = detail::PromiseAccess::state_of(promise);
        run_until_settled(state);
        if constexpr (std::is_void_v<T>) {
            state.value();
        } else {
            return std::move(state.value());
        }
    }

    template <class T>
    std::add_lvalue_reference_t<const T> run_until(const Promise<T>& promise) {
        detail::PromiseState<T>& state = detail::PromiseAccess::state_of(promise);
        run_until_settled(state);
        if constexpr (std::is_void_v<T>) {
            state.value();
        } else {
            return state.value();
        }
    }

    /// Has the thread's own loop, that of a browser or of Node, run this one from now on, and returns at once. Started once more
    /// it changes nothing.
    ///
    /// That loop calls when there is something to do, timers included. A turn takes 4 ms at most, and a job that began before;
    /// then it is the page's turn. What would leave from `run` goes to the unhandled handler; where there is none, it is
    /// reported as the engine reports an error that nothing catches (`window.onerror`), and the turns go on. While something can
    /// happen here that would keep `run` from returning, the program does not exit by itself.
    ///
    /// Requires  the loop outlives the function that starts it: static, or on the heap; it ends before its thread does
    /// Throws    std::system_error: function_not_supported where threads have no loops of their own (all platforms but
    ///           Emscripten's); resource_unavailable_try_again while 256 others are started
    void start();

    /// Whether the thread's own loop runs this one: after `start`, until a `stop` has come.
    bool is_started() const;

    /// Calls `f` with the promise's value, without an argument if it has none, once that has settled: a program's last step, on
    /// a page as on any other thread. Where the loop is not started, it is `f(run_until(std::move(promise)))`. A started loop
    /// returns at once and calls `f` later, and a rejection goes the way of exceptions that nothing takes.
    template <class T, class F>
    void run_then(Promise<T>&& promise, F f) {
        if (is_started()) {
            post([kept = std::move(promise), f = std::move(f)]() mutable -> Promise<void> {
                if constexpr (std::is_void_v<T>) {
                    co_await std::move(kept);
                    f();
                } else {
                    f(co_await std::move(kept));
                }
            });
        } else if constexpr (std::is_void_v<T>) {
            run_until(std::move(promise));
            f();
        } else {
            f(run_until(std::move(promise)));
        }
    }

    using LoopBase::post;

    /// Runs what is ready now, timers that are due included, and does not wait: what that posts again is left for the
    /// next time, and so is what an exception came before.
    ///
    /// Returns  whether there was anything to run.
    bool poll();

    /// The same, until that time is over, but one job at least, if there is one; the rest is left for the next time. For a frame
    /// or a host's turn, whose own work is not to wait for a crowd of jobs. A job is not interrupted.
    bool poll(std::chrono::nanoseconds budget);

    /// Runs one job, or fires one timer.
    bool poll_one() { return poll(std::chrono::nanoseconds::zero()); }

    /// Makes `run` or `run_until` return after the job that is running; if none is under way, the next one returns at
    /// once. Stops that come before that return are one. Does not concern `poll`.
    ///
    /// A started loop takes no turn after that job, until `start` is called again, which forgets the stops before.
    ///
    /// Threads  any, and signal handlers, on the loop's own thread too: it takes no lock, allocates nothing and keeps
    ///          `errno`. The portable platform, whose loops sleep on a condition variable, is the exception: not in handlers.
    void stop() noexcept;

    /// A handle that is signalled (a file descriptor that is readable) whenever `poll` has something to do, timers
    /// included; to embed the loop in another one (epoll, GLib, Qt, libuv). It belongs to the loop.
    ///
    /// Also while a job of this loop runs, which may run the other loop within itself (a modal dialog). Then it may be
    /// signalled without cause, until the next `poll` within that job.
    ///
    /// Cost    with a handle, a poll makes one or two system calls, however many jobs it runs
    /// Throws  std::system_error where the system gives no more handles, or where the platform has none
    ///         (function_not_supported)
    NativeHandle native_handle();

private:
    struct Stop;

    static CanBlock allowed(CanBlock can_block);
    static void take_turn(void* self) noexcept;
    void require_may_run(const char* function) const;
    void run_until_settled(detail::PromiseStateBase& promise);
    bool take_stop() noexcept;

    const std::unique_ptr<Stop> stop_;
};

}  // namespace futon

#include <futon/detail/end.hpp>
