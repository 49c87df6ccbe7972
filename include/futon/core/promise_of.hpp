// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <futon/core/agent_waiter.hpp>
#include <futon/core/operation.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/promise.hpp>
#include <futon/time_limit.hpp>

namespace futon::core {

/// A promise of an operation's result, and the waiter that settles it. The user's handle refers to it, and so does the
/// queue.
///
/// Parts that not all operations need take no room in the others: limits, and the operation itself, which a final
/// wake-up does not ask.
template <Operation Op, bool is_limited>
class PromisedOperation final : public detail::PromiseState<typename Op::Result>, public AgentWaiter {
public:
    PromisedOperation(Op&& op, Deadline deadline, const std::stop_token& stop, Agent& agent)
        : AgentWaiter(agent), kept_(std::move(op), deadline, stop), limits_(*this) {}

    /// Enqueues the waiter, and starts watching its limits. [enqueue-safe]
    Progress start(Op& op, Deadline deadline, const std::stop_token& stop) noexcept {
        this->retain();
        const Progress progress = enqueue_as(op);
        if (progress == Progress::queued) {
            limits_.start(end_of_wait(op, deadline), stop);
        } else {
            this->release();
        }
        return progress;
    }

    /// The operation to start: the one kept here, or the given one.
    Op& operation(Op& given) noexcept {
        if constexpr (wake_is_final<Op>) {
            return given;
        } else {
            return kept_.op;
        }
    }

    void unref() noexcept override { AgentWaiter::unref(); }

    std::uint64_t request() const noexcept override {
        if constexpr (wake_is_final<Op>) {
            return 0;
        } else {
            return request_of(kept_.op);
        }
    }
    std::uint64_t amount() const noexcept override {
        if constexpr (wake_is_final<Op>) {
            return 1;
        } else {
            return amount_of(kept_.op);
        }
    }
    WaiterDescription describe() const noexcept override { return {WaiterDescription::Kind::task, Op::name, &agent()}; }

private:
    ~PromisedOperation() override {
        if constexpr (!wake_is_final<Op>) end();  // while `leave` is still this class's
    }

    struct Nothing {
        Nothing(Op&&, Deadline, const std::stop_token&) noexcept {}
    };
    struct Attempt {
        Attempt(Op&& operation, Deadline until, const std::stop_token& token)
            : op(std::move(operation)), deadline(until), stop(token) {}
        Op op;
        Deadline deadline;
        std::stop_token stop;
    };
    struct NoLimits {
        explicit NoLimits(AgentWaiter&) noexcept {}
        void start(Deadline, const std::stop_token&) noexcept {}
        void stop() noexcept {}
    };

    // An operation that is not kept waits in the table of the process, and nothing is asked of it meanwhile.
    static_assert(!wake_is_final<Op> || !is_asked_while_it_waits<Op>,
                  "futon: an operation whose wake_is_final has no table(), left(), request() or amount()");

    bool leave(WaitResult result) noexcept override {
        if constexpr (wake_is_final<Op>) {
            return dequeue(result);
        } else {
            return table_of(kept_.op).dequeue(*this, result);
        }
    }

    void moved([[maybe_unused]] std::uint64_t expected, [[maybe_unused]] bool is_last) noexcept override {
        if constexpr (!wake_is_final<Op>) core::moved(kept_.op, expected, is_last);
    }

    Progress enqueue_as(Op& op) noexcept { return core::enqueue<Caller::task>(op, *this); }

    void on_complete(WaitResult result) noexcept override {
        limits_.stop();
        if (this->is_unreachable()) return drop(result);
        if constexpr (wake_is_final<Op>) {
            settle(result == WaitResult::ok          ? Progress::woken
                   : result == WaitResult::timed_out ? Progress::timed_out
                                                     : Progress::cancelled);
        } else {
            const Progress progress = proceed<Caller::task>(kept_.op, *this, result, kept_.deadline, kept_.stop);
            if (progress == Progress::queued)
                return limits_.start(end_of_wait(kept_.op, kept_.deadline), stop_of_wait(kept_.op, kept_.stop));
            settle(progress);
        }
    }

    /// The promise was dropped while the completion was under way: nothing takes the result.
    void drop([[maybe_unused]] WaitResult result) noexcept {
        if constexpr (!wake_is_final<Op>) {
            if (result == WaitResult::ok) {
                core::abandon(kept_.op, *this);
            } else {
                left(kept_.op);
            }
        }
        this->release();
    }

    void settle(Progress progress) noexcept {
        try {
            if (progress == Progress::no_memory) throw_table_full(Op::name);
            if constexpr (wake_is_final<Op>) {
                this->fulfil(Op::result(to_ending(progress)));
            } else {
                this->fulfil(kept_.op.result(to_ending(progress)));
            }
        } catch (...) {
            this->reject(std::current_exception());
        }
        this->release();
    }

    void on_teardown([[maybe_unused]] bool was_woken) noexcept override {
        limits_.stop();
        if constexpr (!wake_is_final<Op>) {
            if (was_woken) {
                core::abandon(kept_.op, *this);
            } else {
                left(kept_.op);
            }
        }
        this->abandon();
        this->release();
    }

    void on_dropped() noexcept override {
        if (!withdraw()) return;  // the completion is under way, and returns the queue's reference
        limits_.stop();
        if constexpr (!wake_is_final<Op>) left(kept_.op);
        this->release();
    }

    [[no_unique_address]] std::conditional_t<wake_is_final<Op>, Nothing, Attempt> kept_;
    [[no_unique_address]] std::conditional_t<is_limited, WaitLimits, NoLimits> limits_;
};

/// The work of `promise_of`, with or without limits: returns the result at once, or a promise of it.
template <bool is_limited, Operation Op>
std::variant<typename Op::Result, Promise<typename Op::Result>> start_promised(Op& op, Deadline deadline,
                                                                               const std::stop_token& stop,
                                                                               Agent& agent) {
    using Result = typename Op::Result;
    using Promised = PromisedOperation<Op, is_limited>;
    // Everything that can fail comes before the enqueueing. [enqueue-safe]
    auto& promised = *new Promised(std::move(op), deadline, stop, agent);
    Promise<Result> promise = detail::PromiseAccess::handle_of<Result>(promised);
    Op& started = promised.operation(op);
    switch (promised.start(started, deadline, stop)) {
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
std::variant<typename Op::Result, Promise<typename Op::Result>> result_or_promise(Op op, TimeLimit limit,
                                                                                  const std::stop_token& stop,
                                                                                  Agent& agent) {
    const Deadline deadline = limit.deadline();
    const bool is_limited = !deadline.is_never() || stop.stop_possible();
    if constexpr (wake_is_final<Op>) {
        // The check decides what a try would; the waiter refuses an agent without an executor.
        if (!is_limited && op.key() != nullptr) return start_promised<false>(op, deadline, stop, agent);
    }
    require_timers(agent, deadline, Op::name);
    require_unused(op);
    if (const auto ended = attempt<Caller::task>(op, deadline, stop)) return op.result(*ended);
    if (!is_limited) return start_promised<false>(op, deadline, stop, agent);
    return start_promised<true>(op, deadline, stop, agent);
}

/// Returns a promise of what `op` yields, which settles on `agent`'s executor.
///
///     futon::promise_of(event.waiting()).then([](futon::WaitResult) { ... });
///
/// Settles  never inside a call, except that it is settled already if the operation is done at once
/// Cancel   the deadline, the stop token, or dropping the promise while nothing listens: the waiter leaves its queue at
///          once. If the agent ends, the promise never settles
/// Threads  `agent`'s own
/// Throws   NoExecutor if the agent has no executor, or if the deadline needs a timer and its executor keeps none;
///          std::logic_error if the operation was used before; std::system_error (not_enough_memory) if the table is
///          full; std::bad_alloc. The operation is not done then
/// Cost     one allocation
template <Operation Op>
Promise<typename Op::Result> promise_of(Op op, TimeLimit limit = Deadline::never(), const std::stop_token& stop = {},
                                        Agent& agent = Agent::current()) {
    using Result = typename Op::Result;
    const Deadline deadline = limit.deadline();
    require_timers(agent, deadline, Op::name);
    require_unused(op);
    // An operation that cannot be undone is not tried before its promise exists.
    constexpr bool is_tried_first = !is_irrevocable<Op>;
    if constexpr (is_tried_first) {
        if (const auto ended = attempt<Caller::task>(op, deadline, stop)) {
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
    auto& promised = *new PromisedOperation<Op, true>(std::move(op), deadline, stop, agent);
    Promise<Result> promise = detail::PromiseAccess::handle_of<Result>(promised);
    Op& started = promised.operation(op);
    if constexpr (!is_tried_first) {
        if (const auto ended = attempt<Caller::task>(started, deadline, stop)) {
            promised.fulfil(started.result(*ended));
            return promise;
        }
    }
    switch (promised.start(started, deadline, stop)) {
        case Progress::queued:
            break;
        case Progress::no_memory:
            throw_table_full(Op::name);
        default:
            promised.fulfil(started.result(Ending::at_once));
    }
    return promise;
}
template <Operation Op>
Promise<typename Op::Result> promise_of(Op op, const std::stop_token& stop, Agent& agent = Agent::current()) {
    return promise_of(std::move(op), Deadline::never(), stop, agent);
}

}  // namespace futon::core

#include <futon/detail/end.hpp>
