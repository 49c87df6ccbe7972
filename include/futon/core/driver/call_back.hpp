// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <futon/core/driver/operation_task.hpp>
#include <futon/core/loop/agent_waiter.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/this_thread.hpp>
#include <futon/limits.hpp>
#include <futon/promise.hpp>

namespace futon::core {

/// An operation that is being done for a callback: what a `CallHandle` refers to. The operation itself also refers to
/// it.
class PendingCall : public AgentWaiter {
public:
    /// References of handles, and of the operation under way; the last one deletes this.
    void retain() noexcept { ++references_; }
    void release() noexcept {
        if (--references_ == 0) delete this;
    }

    /// Whether the callback has yet to be called.
    bool is_pending() const noexcept { return is_pending_; }
    void unref() noexcept {
        if (is_pending_) AgentWaiter::unref();
    }

    /// Throws  std::logic_error on another thread
    bool cancel() {
        if (home_ != &detail::this_agent_slot())
            throw std::logic_error("futon::CallHandle::cancel: a callback is cancelled on its agent's own thread");
        if (!std::exchange(is_pending_, false)) return false;
        if (withdraw()) {
            on_teardown(false);
        } else if (executor().retract(*this)) {
            static_cast<Job&>(*this).discard();
        }  // else the completion arrives, and finds that it was cancelled
        return true;
    }

protected:
    explicit PendingCall(Agent& agent) : AgentWaiter(agent), home_(&detail::this_agent_slot()) {}
    ~PendingCall() override = default;

    /// Ends the pending state. Returns whether the callback must be called: it was not cancelled.
    bool end_pending() noexcept { return std::exchange(is_pending_, false); }

private:
    const void* home_;  // the slot of the thread that it belongs to
    std::uint32_t references_ = 1;
    bool is_pending_ = true;
};

}  // namespace futon::core

namespace futon {

/// What `call_back` returns: it can cancel the call. Dropping it changes nothing; the callback will still be called.
///
/// Threads  the agent's own.
class CallHandle {
public:
    CallHandle() noexcept = default;
    CallHandle(CallHandle&& other) noexcept : call_(std::exchange(other.call_, nullptr)) {}
    CallHandle& operator=(CallHandle&& other) noexcept {
        CallHandle taken(std::move(other));
        std::swap(call_, taken.call_);
        return *this;
    }
    ~CallHandle() {
        if (call_ != nullptr) call_->release();
    }

    /// Ends the wait at once, and destroys the callback. If the operation was done by then, it is given back. Returns
    /// whether this call did so: false if the callback has been called or is being called, was cancelled before, or its
    /// agent has ended.
    ///
    /// Throws  std::logic_error on another thread; nothing changes then
    bool cancel() { return call_ != nullptr && call_->cancel(); }

    /// Lets the event loop end while this is pending.
    void unref() noexcept {
        if (call_ != nullptr) call_->unref();
    }

    /// Whether the callback has yet to be called.
    bool is_pending() const noexcept { return call_ != nullptr && call_->is_pending(); }

private:
    friend struct CallHandleAccess;
    explicit CallHandle(core::PendingCall& call) noexcept : call_(&call) { call.retain(); }

    core::PendingCall* call_ = nullptr;
};

/// Makes handles, for drivers.
struct CallHandleAccess {
    /// The handle of a pending call.
    static CallHandle handle_of(core::PendingCall& call) noexcept { return CallHandle(call); }
};

namespace core {

/// The waiter of an operation and its callback.
template <Operation Op, class F>
class CalledOperation final : public OperationTask<CalledOperation<Op, F>, PendingCall> {
    using Result = typename Op::Result;
    using Task = OperationTask<CalledOperation, PendingCall>;

public:
    template <class G>
    CalledOperation(Op&& op, Limits limits, G&& f, Agent& agent)
        : Task(agent), work_(std::in_place, std::move(op), std::move(limits), std::forward<G>(f)) {}

    /// Does the operation, or begins to wait; either leads to the callback. Returns false if the table is full.
    bool start() noexcept {
        const Progress progress = Task::start(Until(work_->limits));
        if (progress == Progress::no_memory) return false;
        if (progress != Progress::queued) {
            ended_ = progress;
            this->begin();
            this->finish(WaitResult::ok);  // [later]
        }
        return true;
    }

    /// The operation, until the callback was called.
    Op& operation() noexcept { return work_->op; }

private:
    ~CalledOperation() override { this->end(); }

    struct Work {
        template <class G>
        Work(Op&& operation, Limits from_now, G&& function)
            : op(std::move(operation)), limits(std::move(from_now)), f(std::forward<G>(function)) {}
        Op op;
        Limits limits;
        F f;
    };

    bool leave(WaitResult result) noexcept override {
        return ended_ ? !std::exchange(is_posted_, true) : Task::leave(result);
    }

    void on_complete(WaitResult result) noexcept override {
        if (!this->is_pending()) return give_up(result == WaitResult::ok);
        if (!ended_) {
            const Progress progress = this->proceed(result, Until(work_->limits));
            if (progress == Progress::queued) return;
            ended_ = progress;
        }
        this->end_pending();
        call();
        drop();
    }

    void call() noexcept {
        try {
            std::optional<Result> result;
            std::exception_ptr error;
            try {
                if (*ended_ == Progress::no_memory) throw_table_full(Op::name);
                result.emplace(work_->op.result(to_ending(*ended_)));
            } catch (...) {
                if constexpr (!std::invocable<F, std::exception_ptr>) throw;
                error = std::current_exception();
            }
            if constexpr (std::invocable<F, std::exception_ptr>) {
                if (error) return static_cast<void>(std::invoke(std::move(work_->f), std::move(error)));
            }
            std::invoke(std::move(work_->f), std::move(*result));
        } catch (...) {
            this->executor().report_unhandled(std::current_exception());
        }
    }

    void on_teardown(bool was_woken) noexcept override {
        this->end_pending();
        give_up(was_woken);
    }

    /// The callback will not be called: gives back what the operation has received.
    void give_up(bool was_woken) noexcept {
        if (!ended_) {
            Task::give_up(was_woken);
        } else if (*ended_ == Progress::at_once) {
            work_->op.give_back(WakeToken::handed_off);
        }
        drop();
    }

    void drop() noexcept {
        work_.reset();
        this->release();
    }

    std::optional<Work> work_;  // until the callback was called, or will not be
    std::optional<Progress> ended_;
    bool is_posted_ = false;  // the completion, if the operation was done at once
};

/// Whether a callback is a coroutine, or returns a promise in another way.
template <class F, class Op>
inline constexpr bool returns_promise =
    detail::Unwrapped<std::remove_cvref_t<std::invoke_result_t<F, typename Op::Result>>>::is_promise;

/// Does `op`, now or later, and calls `f(result)` on `agent`'s executor: never inside this call, and at most once. For
/// callers without coroutines that need no promise.
///
///     futon::call_back(lock.locking(), [&](futon::AsyncLock::Guard guard) { ... });
///     futon::call_back(channel.receiving(), {10ms, stop}, [&](futon::Received<int> item) { ... });
///
/// `f` is destroyed after its call, or as soon as it can no longer be called.
///
/// Returns  a handle that can cancel it, and may be dropped
/// Cancel   the limits: `f` is called with a result that says so. The handle, the end of the agent
///          and its `close`: `f` is destroyed, and a completed operation is given back. A result that cannot be given
///          back, such as a received value, is lost
/// Errors   what `f` throws goes to the executor's `report_unhandled`. If making the result throws, `f` gets the
///          exception if it can be called with a std::exception_ptr; else `report_unhandled` does
/// Loops    a lock or a permit that is free is taken in this call, and `f` has it before its loop runs; only what must wait
///          is offered. So close or destroy a loop that has stopped before you join threads that want the lock
/// Threads  `agent`'s own
/// Throws   NoExecutor if the agent has no executor, or if the deadline needs a timer and its executor keeps none;
///          std::logic_error if the operation was used before; std::system_error (not_enough_memory) if the table is
///          full; std::bad_alloc; what moving `f` throws. The operation is not done then
/// Cost     one allocation
template <Operation Op, class F>
CallHandle call_back(Op op, Limits limits, F&& f, Agent& agent = Agent::current()) {
    constexpr bool takes_the_result = std::invocable<std::decay_t<F>, typename Op::Result>;
    static_assert(
        takes_the_result,
        "futon::call_back: the callback must take what the operation yields: lock.locking() an AsyncLock::Guard, "
        "event.waiting() a WaitResult, channel.receiving() a Received<T>");
    if constexpr (takes_the_result) {
        static_assert(!returns_promise<std::decay_t<F>, Op>,
                      "futon: a callback is destroyed when it returns, so it is no coroutine: await the operation in "
                      "one instead");
        limits = std::move(limits).from_now();
        require_timers(agent, limits.deadline(), Op::name);
        require_unused(op);
        auto& call =
            *new CalledOperation<Op, std::decay_t<F>>(std::move(op), std::move(limits), std::forward<F>(f), agent);
        CallHandle handle = CallHandleAccess::handle_of(call);
        if (!call.start()) {
            call.release();
            throw_table_full(Op::name);
        }
        return handle;
    }
}

template <Operation Op, class F>
CallHandle call_back(Op op, F&& f, Agent& agent = Agent::current()) {
    return call_back(std::move(op), Limits(), std::forward<F>(f), agent);
}

}  // namespace core

using core::call_back;

}  // namespace futon

#include <futon/detail/end.hpp>
