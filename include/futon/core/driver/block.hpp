// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <optional>
#include <type_traits>
#include <utility>

#include <futon/agent.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/core/operation/operation_waiter.hpp>
#include <futon/core/probe.hpp>
#include <futon/core/queue/blocked_waiter.hpp>
#include <futon/limits.hpp>

namespace futon::core {

/// The waiter of a thread that is blocked in an operation.
template <Operation Op>
using BlockedOperation = OperationWaiter<Op&, BlockedWaiter>;

/// Sleeps as `BlockedWaiter::sleep` does.
struct PlainSleep {
    std::optional<WaitResult> operator()(BlockedWaiter& waiter, WaitQueues& table, const Until& until) const noexcept {
        return waiter.sleep(table, until);
    }
};

/// Constructs in place, because a waiter cannot be moved.
template <class Waiter, class Op, class Sleep>
Waiter make_blocked_waiter(Op& op, const Sleep& sleep) {
    if constexpr (std::is_constructible_v<Waiter, Op&, const Sleep&>) {
        return Waiter(op, sleep);
    } else if constexpr (std::is_constructible_v<Waiter, Op&, Agent*>) {
        return Waiter(op, detail::this_agent());
    } else {
        return Waiter(op);
    }
}

/// Takes a thread's waiter out of its queue when its caller is gone.
template <Operation Op>
void take_back(Op& op, BlockedWaiter& waiter) noexcept {
    if (table_of(op).dequeue(waiter, WaitResult::cancelled)) {
        left(op);
    } else {
        waiter.park();  // [once] the wake-up is under way
        abandon(op, waiter);
    }
}

/// Blocks the thread until the operation is done, or the limits are over. Returns the operation's result.
///
///     auto permits = futon::block(semaphore.scoped_acquiring(2), 10ms);
///
/// `sleep` lets a runtime that must wake up from time to time decide how the thread sleeps. It is called with the
/// queued waiter, and returns how the wait ended, as `BlockedWaiter::sleep` does. If the runtime is ending this thread,
/// `sleep` returns nothing: the driver dequeues the waiter, gives back what was under way to it, and the result is that
/// of a cancelled operation. `Waiter` is the type of the waiter. It is constructed from the operation, and from `sleep`
/// or the thread's agent too if its constructor takes that.
///
/// Threads  agents that may block.
/// Throws   BlockingForbidden if the agent may not block, before it tries; std::logic_error if the operation was used
///          before; std::system_error (not_enough_memory) if the table is full. The operation is not done then
/// Cost     allocates nothing
template <Operation Op, class Sleep = PlainSleep, class Waiter = BlockedOperation<Op>>
[[nodiscard]] typename Op::Result block(Op op, const Limits& limits = {}, Sleep sleep = {}) {
    if (!detail::this_thread_can_block()) [[unlikely]]
        detail::throw_blocking_forbidden(Op::name);
    require_unused(op);
    const Until until(limits);
    [[maybe_unused]] const probe::Attempt attempt(nullptr, Op::name, limits);

    Waiter waiter = make_blocked_waiter<Waiter>(op, sleep);
    if constexpr (!polls_for_wake_up<Op>) waiter.sleep_at_once();
    Progress progress = begin<Caller::thread>(op, waiter, until);
    while (progress == Progress::queued) {
        std::optional<WaitResult> result;
        try {
            probe::about_to_sleep();
            result = sleep(waiter, table_of(op), end_of_wait(op, until));
        } catch (...) {
            take_back(op, waiter);
            throw;
        }
        if (!result) [[unlikely]] {
            take_back(op, waiter);
            progress = Progress::cancelled;
            break;
        }
        progress = proceed<Caller::thread>(op, waiter, *result, until);
    }
    if (progress == Progress::no_memory) [[unlikely]]
        throw_table_full(Op::name);
    return op.result(to_ending(progress));
}

}  // namespace futon::core

#include <futon/detail/end.hpp>
