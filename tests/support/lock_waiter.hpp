// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include <futon/futon.hpp>

namespace futon::test {

/// A waiter for a lock that a test moves by hand, step by step, on one thread: what a thread, or a task of a loop, would be.
template <class Lock>
class WaiterForLock final : public core::OperationWaiter<WaiterForLock<Lock>, core::Waiter> {
public:
    using Kind = core::WaiterDescription::Kind;

    /// `agent` tells the loops of tasks apart.
    WaiterForLock(Lock& lock, Kind kind, const void* agent = nullptr)
        : op(lock.locking()), kind_(kind), agent_(agent) {}
    ~WaiterForLock() { core::process_table().dequeue(*this, WaitResult::cancelled); }

    /// Returns whether it is queued; else it has taken the lock.
    bool enqueue() { return enqueue(core::Place::tail); }

    /// The same, after it was woken in vain: it keeps its place.
    bool enqueue_again() {
        op.woken(given_.value_or(core::WakeToken::none));
        return enqueue(core::place_of(op, core::Enqueueing::again));
    }

    core::Caller caller() const noexcept { return kind_ == Kind::thread ? core::Caller::thread : core::Caller::task; }

    /// What a waker gave it.
    std::optional<core::WakeToken> given() const { return given_; }

    typename Lock::Locking& operation() noexcept { return op; }
    core::WaiterOwner owner() const noexcept override { return {caller(), agent_}; }
    bool is_here() const noexcept override { return runs_here; }

    typename Lock::Locking op;
    bool runs_here = false;  // its loop, on the thread that unlocks

private:
    bool enqueue(core::Place place) {
        given_.reset();
        return core::process_table().enqueue(*this, op.check(caller()), place) == core::EnqueueResult::queued;
    }

    void deliver() noexcept override { given_ = this->token(); }

    Kind kind_;
    const void* agent_;
    std::optional<core::WakeToken> given_;
};

using LockWaiter = WaiterForLock<AsyncLock>;

}  // namespace futon::test
