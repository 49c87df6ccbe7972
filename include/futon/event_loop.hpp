// SPDX-License-Identifier: MIT
#pragma once

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
/// Fork      in a child a loop of the parent runs nothing more: its functions throw std::logic_error, also out of a run whose
///           job has forked. It can be destroyed by the thread that made it, and the parent's loop notices nothing of either.
class FUTON_API EventLoop final : public core::LoopBase {
public:
    /// Throws  std::bad_alloc
    explicit EventLoop(CanBlock can_block = CanBlock::no);
    ~EventLoop() override;

    /// Runs until nothing can happen any more: nothing is posted, no timer is armed, and no wait is pending except
    /// those that were unref'd; or until `stop`. A `keep_running` guard is something that can happen.
    ///
    /// Throws  std::logic_error on another thread than the loop's, as do `run_until`, `poll` and `native_handle`
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

    using LoopBase::post;

    /// Runs what is ready now, timers that are due included, and does not wait: what that posts again is left for the
    /// next time, and so is what an exception came before.
    ///
    /// Returns  whether there was anything to run.
    bool poll();

    /// Makes `run` or `run_until` return after the job that is running; if none is under way, the next one returns at
    /// once. Stops that come before that return are one. Does not concern `poll`.
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

    void run_until_settled(detail::PromiseStateBase& promise);
    bool take_stop() noexcept;

    const std::unique_ptr<Stop> stop_;
};

}  // namespace futon
