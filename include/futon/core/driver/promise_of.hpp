// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <futon/core/driver/operation_task.hpp>
#include <futon/core/loop/agent_waiter.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/limits.hpp>
#include <futon/promise.hpp>

namespace futon::core {

/// What a driver keeps of an operation whose wake-up is final: nothing. It waits in the table of the process, and nothing
/// is asked of it meanwhile.
template <class Op>
struct Forgotten {
    static_assert(!core::wake_is_final<Op> || !is_asked_while_it_waits<Op>,
                  "futon: an operation whose wake_is_final has no table(), left() or request()");

    using Result = typename Op::Result;
    static constexpr const char* name = Op::name;
    static constexpr bool wake_is_final = true;

    const void* key() const noexcept { return nullptr; }
    WaitQueues& table() const noexcept { return process_table(); }
    bool try_now() const noexcept { return false; }
    WaitCheck check() const noexcept { return {}; }
    bool woken(WakeToken) const noexcept { return true; }
    void give_back(WakeToken) const noexcept {}
    Result result(Ending ending) const { return Op::result(ending); }
};

/// Instead of `WaitLimits`, for a wait without limits.
struct NoLimits {
    /// The same functions as in `WaitLimits`; they do nothing.
    explicit NoLimits(AsyncWaiter&) noexcept {}
    void start(const Until&) noexcept {}  ///< nothing
    void stop() noexcept {}               ///< nothing
};

/// A promise of an operation's result, and the waiter that settles it. The user's handle refers to it, and so does the
/// queue.
///
/// Parts that not all operations need take no room in the others: limits, and the operation itself, which a final
/// wake-up does not ask.
template <Operation Op, bool is_limited>
class PromisedOperation final : public detail::PromiseState<typename Op::Result>,
                                public OperationTask<PromisedOperation<Op, is_limited>, AgentWaiter,
                                                     std::conditional_t<is_limited, WaitLimits, NoLimits>> {
    using Task = OperationTask<PromisedOperation, AgentWaiter, std::conditional_t<is_limited, WaitLimits, NoLimits>>;

public:
    PromisedOperation(Op&& op, const Limits& limits, Agent& agent) : Task(agent), kept_{std::move(op), limits} {}

    /// Enqueues the waiter, and starts watching its limits. [enqueue-safe]
    Progress start(Op& op, const Until& until) noexcept {
        this->retain();
        const Progress progress = this->watch(core::enqueue<Caller::task>(op, *this), until);
        if (progress != Progress::queued) this->release();
        return progress;
    }

    /// The operation to start: the one kept here, or the given one.
    Op& operation([[maybe_unused]] Op& given) noexcept {
        if constexpr (wake_is_final<Op>) {
            return given;
        } else {
            return kept_.op;
        }
    }
    auto& operation() noexcept { return kept_.op; }

    void unref() noexcept override { AgentWaiter::unref(); }

private:
    ~PromisedOperation() override { this->end(); }

    struct Nothing {
        Nothing(Op&&, const Limits&) noexcept {}
        [[no_unique_address]] Forgotten<Op> op;
    };
    struct Attempt {
        Op op;
        Limits limits;
    };

    void on_complete(WaitResult result) noexcept override {
        if (this->is_unreachable()) return drop(result == WaitResult::ok);
        if constexpr (wake_is_final<Op>) {
            this->unwatch();
            settle(result == WaitResult::ok          ? Progress::woken
                   : result == WaitResult::timed_out ? Progress::timed_out
                                                     : Progress::cancelled);
        } else {
            const Progress progress = this->proceed(result, Until(kept_.limits));
            if (progress != Progress::queued) settle(progress);
        }
    }

    /// The promise was dropped: nothing takes the result.
    void drop(bool was_woken) noexcept {
        this->give_up(was_woken);
        this->release();
    }

    void settle(Progress progress) noexcept {
        try {
            if (progress == Progress::no_memory) throw_table_full(Op::name);
            this->fulfil(kept_.op.result(to_ending(progress)));
        } catch (...) {
            this->reject(std::current_exception());
        }
        this->release();
    }

    void on_teardown(bool was_woken) noexcept override {
        this->give_up(was_woken);
        this->abandon();
        this->release();
    }

    /// A wake-up that is posted is taken back, so that what it was for goes on at once. Else its job does that: a drop does not wait
    /// for a waker.
    void on_dropped() noexcept override {
        if (!this->is_waiting()) return;
        if (this->withdraw()) {
            drop(false);
        } else if constexpr (!wake_is_final<Op>) {  // else it was for no one else
            if (this->executor().retract_posted(*this)) static_cast<Job&>(*this).discard();
        }
    }

    [[no_unique_address]] std::conditional_t<wake_is_final<Op>, Nothing, Attempt> kept_;
};

/// The work of `promise_of`, with or without limits: returns the result at once, or a promise of it.
template <bool is_limited, Operation Op>
std::variant<typename Op::Result, Promise<typename Op::Result>> start_promised(Op& op, const Limits& limits,
                                                                               Agent& agent) {
    using Result = typename Op::Result;
    using Promised = PromisedOperation<Op, is_limited>;
    // Everything that can fail comes before the enqueueing. [enqueue-safe]
    auto& promised = *new Promised(std::move(op), limits, agent);
    Promise<Result> promise = detail::PromiseAccess::handle_of<Result>(promised);
    Op& started = promised.operation(op);
    switch (promised.start(started, Until(limits))) {
        case Progress::queued:
            return promise;
        case Progress::no_memory:
            throw_table_full(Op::name);
        default:
            return started.result(Ending::at_once);
    }
}

/// Does `op` without waiting, or begins to wait: returns the result if it is known at once, else a promise of it.
/// Otherwise as `promise_of`.
template <Operation Op>
std::variant<typename Op::Result, Promise<typename Op::Result>> result_or_promise(Op&& op, const Limits& limits,
                                                                                  Agent& agent) {
    const bool is_limited = limits.has_deadline() || limits.stop().stop_possible();
    if constexpr (wake_is_final<Op>) {
        // The check decides what a try would; the waiter refuses an agent without an executor.
        if (!is_limited && op.key() != nullptr) [[likely]]
            return start_promised<false>(op, limits, agent);
    }
    const Limits shared = limits.from_now();
    require_timers(agent, shared.deadline(), Op::name);
    require_unused(op);
    if (const auto ended = attempt<Caller::task>(op, Until(shared))) return op.result(*ended);
    if (!is_limited) return start_promised<false>(op, shared, agent);
    return start_promised<true>(op, shared, agent);
}

/// Returns a promise of what `op` yields, which settles on `agent`'s executor.
///
///     futon::promise_of(event.waiting()).then([](futon::WaitResult) { ... });
///
/// Settles  never inside a call, except that it is settled already if the operation is done at once
/// Cancel   the limits, or dropping the promise while nothing listens: the waiter leaves its queue at
///          once. If the agent ends, the promise never settles
/// Loops    a lock or a permit that is free is taken in this call, and the promise, or the function given to its `then`,
///          has it before its loop runs; only what must wait is offered. So close or destroy a loop that has stopped
///          before you join threads that want the lock
/// Threads  `agent`'s own
/// Throws   NoExecutor if the agent has no executor, or if the deadline needs a timer and its executor keeps none;
///          std::logic_error if the operation was used before; std::system_error (not_enough_memory) if the table is
///          full; std::bad_alloc. The operation is not done then
/// Cost     one allocation
template <Operation Op>
Promise<typename Op::Result> promise_of(Op op, Limits limits = {}, Agent& agent = Agent::current()) {
    using Result = typename Op::Result;
    limits = std::move(limits).from_now();
    const Until until(limits);
    require_timers(agent, limits.deadline(), Op::name);
    require_unused(op);
    // An operation that cannot be undone is not tried before its promise exists.
    constexpr bool is_tried_first = !is_irrevocable<Op>;
    if constexpr (is_tried_first) {
        if (const auto ended = attempt<Caller::task>(op, until)) {
            detail::PromiseState<Result>* settled = nullptr;
            try {
                settled = new detail::PromiseState<Result>;
            } catch (...) {
                if (*ended == Ending::at_once) op.give_back(WakeToken::handed_off);
                throw;
            }
            Promise<Result> promise = detail::PromiseAccess::handle_of<Result>(*settled);
            settled->fulfil(op.result(*ended));
            return promise;
        }
    }
    auto& promised = *new PromisedOperation<Op, true>(std::move(op), limits, agent);
    Promise<Result> promise = detail::PromiseAccess::handle_of<Result>(promised);
    Op& started = promised.operation(op);
    if constexpr (!is_tried_first) {
        if (const auto ended = attempt<Caller::task>(started, until)) {
            promised.fulfil(started.result(*ended));
            return promise;
        }
    }
    switch (promised.start(started, until)) {
        case Progress::queued:
            break;
        case Progress::no_memory:
            throw_table_full(Op::name);
        default:
            promised.fulfil(started.result(Ending::at_once));
    }
    return promise;
}

}  // namespace futon::core

#include <futon/detail/end.hpp>
