// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <memory>
#include <type_traits>
#include <utility>

#include <futon/agent.hpp>
#include <futon/core/loop/loop_base.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/loop/unwrapped.hpp>
#include <futon/native_handle.hpp>
#include <futon/promise.hpp>

namespace futon {

/// An event loop: the executor of a thread that must not block, and that thread's agent while it lives.
///
///     futon::EventLoop loop;
///     loop.post([] { ... });                         // any thread
///     const int value = loop.run_until(compute());   // runs the loop until the promise has settled
///
/// Its jobs, timers and continuations always run under its own agent, even if another loop was made since. Jobs run one
/// after the other, in the order of their posting. Timers fire in the order of their deadlines, to about a microsecond.
/// In a run due timers and posted jobs take turns; before each of them, `stop`, an exception, or the promise of
/// `run_until` may end it. A `poll` fires timers first.
///
/// Teardown  destroying it dequeues its waits, ends the coroutines that wait on it (futon's own are destroyed, others
///           resumed; see Agent), and discards posted jobs. An exception that was not taken is dropped. Its own jobs
///           must not destroy it.
/// Threads   only the thread that made it, except for `post` and `stop`, which any thread may call while the loop
///           lives. On another thread its functions throw std::logic_error, or end the program if they are noexcept.
/// Errors    an exception of a posted function, or of a rejected promise that was not observed, leaves from `run`,
///           `run_until` or `poll` after the job that caused it. The loop stays usable. `set_unhandled_handler`
///           redirects these exceptions.
/// Cost      a job that finds nothing else to do is run after the loop has been woken, by a system call or two. A loop whose last
///           sleep was short polls before it sleeps, as `futon::wait` does
/// Hosts     if a thread already has an event loop, as in a browser, that loop runs this one turn by turn: see `start`.
/// Fork      in a child process an inherited loop runs nothing: its functions throw std::logic_error, and so does a run
///           whose job has forked. The thread that made it can destroy it. Neither affects the parent's loop.
class FUTON_API EventLoop final : public core::LoopBase {
public:
    /// Makes a loop. On the main thread of a page, which may not block, the loop is started at once.
    ///
    /// Throws  std::bad_alloc; BlockingForbidden if `can_block` asks the main thread of a page to block; what `start`
    ///         throws there
    explicit EventLoop(CanBlock can_block = CanBlock::no);
    ~EventLoop() override;

    /// Runs until nothing is left to happen, or until `stop`. Nothing is left if no job is posted, no timer is armed,
    /// no `keep_running` guard lives, and no wait is pending, except for waits that were unref'd.
    ///
    /// Throws  std::logic_error on another thread, as all functions but `post` and `stop`; BlockingForbidden if the
    ///         thread's own loop runs this one, because `run` and `run_until` would block that loop
    void run();

    /// Runs until `promise` has settled, and returns its value or throws its exception. Jobs that listened to the
    /// promise before have run by then. Unlike `run`, it sleeps while nothing is left to happen, because another thread
    /// may settle the promise.
    ///
    /// Throws  std::system_error (operation_canceled) if the loop was stopped first; std::logic_error if the promise's
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

    // A near miss. Compilers quote the line that declares a deleted function, and with it the advice.
    // clang-format off
    template <class T>
        requires(!detail::Unwrapped<std::remove_cvref_t<T>>::is_promise)
    void run_until(T&&) = delete;  // futon: it takes a promise: write run_until(f()) of a coroutine, run_until(promise_of(event.waiting()))
    // clang-format on

    /// Lets the thread's own loop (a browser's or Node's) run this one from now on, and returns at once. A second call
    /// changes nothing.
    ///
    /// The host loop calls when there is work, timers included. A turn takes at most 4 ms, plus the job that has begun.
    /// An exception that would leave from `run` goes to the unhandled handler; without one it is reported as an
    /// uncaught error (`window.onerror`), and the turns go on. The program does not exit by itself as long as `run`
    /// would not return.
    ///
    /// Requires  the loop outlives the function that starts it: make it static, or on the heap. It ends before its
    ///           thread does
    /// Throws    std::system_error: function_not_supported if threads have no loops of their own (all platforms but
    ///           Emscripten); resource_unavailable_try_again while 256 other loops are started
    void start();

    /// Whether the thread's own loop runs this one: from `start` until `stop`.
    bool is_started() const;

    /// Runs a program's last step: calls `f` with the promise's value once it has settled. If the loop is not started,
    /// this is `f(run_until(std::move(promise)))`. If it is started, as on a page, the call returns at once and `f`
    /// runs later; a rejection is an unhandled exception then.
    template <class T, class F>
    void run_then(Promise<T>&& promise, F f) {
        if (is_started_for("run_then")) {
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

    /// Fires the timers that are due, and runs the jobs that are ready then, without waiting. Jobs that jobs post are left for
    /// the next call, and so are the remaining ones if a job throws.
    ///
    /// Returns  whether there was anything to run.
    bool poll();

    /// The same, but stops after this time. At least one job runs if there is one; the remaining ones are left for the
    /// next call, in which jobs come first if this one had time for timers only. No job is interrupted. Use it in a frame or
    /// a host's turn, which must not wait for many jobs.
    bool poll(std::chrono::nanoseconds budget);

    /// Runs one job, or fires one timer.
    bool poll_one();

    /// Makes `run` or `run_until` return after the current job. If neither is under way, the next one returns at once.
    /// Several stops before that return count as one. `poll` is not affected.
    ///
    /// A started loop takes no more turns after the current job, until `start` is called again, which forgets earlier
    /// stops.
    ///
    /// Threads  any. Also signal handlers, even on the loop's own thread: it takes no lock, allocates nothing and keeps
    ///          `errno`. Not signal handlers on the portable platform, whose loops sleep on a condition variable.
    void stop() noexcept;

    /// A handle that is signalled (on Linux a readable file descriptor) whenever `poll` has work, timers included. Use
    /// it to embed the loop in another one (epoll, GLib, Qt, libuv). The loop owns the handle.
    ///
    /// The handle also works during a job of this loop that runs the other loop within itself (a modal dialog). It may
    /// then be signalled without cause, until the next `poll` within that job.
    ///
    /// Cost    once there is a handle, a poll makes one or two system calls, however many jobs it runs
    /// Throws  std::system_error if the system has no more handles, or if the platform has none
    ///         (function_not_supported)
    NativeHandle native_handle();

private:
    struct Stop;

    static CanBlock allowed(CanBlock can_block);
    static void take_turn(void* self) noexcept;
    bool is_started_for(const char* function) const;
    void require_may_run(const char* function) const;
    void run_until_settled(detail::PromiseStateBase& promise);
    bool take_stop() noexcept;

    const std::unique_ptr<Stop> stop_;
};

}  // namespace futon

#include <futon/detail/end.hpp>
