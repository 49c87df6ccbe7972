// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <utility>

#include <futon/core/driver/block.hpp>
#include <futon/core/operation/operation_waiter.hpp>
#include <futon/core/until.hpp>

#include "environment.hpp"
#include "interruptible_waiter.hpp"

namespace futon::node {

/// How a thread of JavaScript sleeps: it wakes up if Node is ending it.
struct Sleep {
    Environment& environment;

    std::optional<WaitResult> operator()(core::BlockedWaiter& waiter, core::WaitQueues& table,
                                         const core::Until& until) const noexcept {
        return environment.sleep(static_cast<InterruptibleWaiter&>(waiter), table, until.deadline());
    }
};

/// The waiter of a thread of JavaScript that is blocked in an operation.
template <core::Operation Op>
class BlockedCall final : public core::OperationWaiter<Op&, InterruptibleWaiter> {
public:
    BlockedCall(Op& op, const Sleep& sleep) noexcept
        : core::OperationWaiter<Op&, InterruptibleWaiter>(op), environment_(sleep.environment) {}

    core::WaiterDescription describe() const noexcept override {
        return {core::WaiterDescription::Kind::thread, Op::name, &environment_, environment_.thread_id()};
    }

private:
    const Environment& environment_;
};

/// Blocks until the operation is done, or the deadline has come. The operation is cancelled if Node ends the thread.
///
/// Throws what the operation's result throws, and nothing else: JavaScript has checked whether the thread may block, and the table of
/// the process is never full.
template <core::Operation Op>
typename Op::Result block_here(Environment& environment, Op op, Deadline deadline) {
    return core::block<Op, Sleep, BlockedCall<Op>>(std::move(op), deadline, Sleep{environment});
}

}  // namespace futon::node
