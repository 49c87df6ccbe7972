// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/core/queue/wait_table.hpp>
#include <futon/detail/export.hpp>
#include <futon/executor.hpp>

namespace futon::core {

/// A waiter that does not block: its delivery posts `on_complete` to an executor. This is the allocation-free API.
///
/// Derive from it, override `on_complete`, keep the object in place, and enqueue it at a word:
///
///     struct Redraw : futon::core::AsyncWaiter {
///         using AsyncWaiter::AsyncWaiter;
///         void on_complete(futon::WaitResult) noexcept override { draw(); }
///     };
///     Redraw redraw(loop);
///     redraw.enqueue(futon::Word(frame).equals(0));
///
/// Settles   never inside `enqueue`, `dequeue` or notify. [later]
/// Cancel    `dequeue` or `finish`, from any thread, unless the waiter may be enqueued again meanwhile. If it returns
///           false, the completion is under way.
/// Requires  it is dequeued before its executor ends. It is not destroyed between its dequeueing and its completion:
///           destroy it while idle, or after `dequeue` has returned true. If no thread can notify it, its destructor
///           dequeues it.
/// Cost      72 bytes of its own, and a post for each wake-up.
class FUTON_API AsyncWaiter : public Waiter, public Job {
public:
    explicit AsyncWaiter(Executor& executor) noexcept : executor_(&executor) {}

    /// Enqueues it if the check says that it must wait. Returns whether it did.
    bool enqueue(const WaitCheck& check) noexcept { return enqueue(process_table(), check) == EnqueueResult::queued; }
    EnqueueResult enqueue(WaitQueues& table, const WaitCheck& check, Place place = Place::tail) noexcept {
        return table.enqueue(*this, check, place);
    }

    /// Takes it out of its queue. If it returns true, this call did so, and no completion follows.
    bool dequeue(WaitResult result = WaitResult::cancelled) noexcept { return process_table().dequeue(*this, result); }

    /// Ends the wait, if it has not ended, and posts `on_complete(result)`. Returns whether this call ended the wait.
    ///
    /// Threads  any, unless the waiter may be enqueued again meanwhile.
    bool finish(WaitResult result) noexcept {
        if (!leave(result)) return false;
        deliver();
        return true;
    }

    /// The executor that runs the completion.
    Executor& executor() const noexcept { return *executor_; }

protected:
    AsyncWaiter(Executor& executor, InGroup in_group) noexcept : Waiter(in_group), executor_(&executor) {}

    ~AsyncWaiter() override {
        if (may_be_queued()) dequeue();
    }

    /// Takes the wait out of its queue with this result. If it returns true, this call did so, and no delivery follows.
    /// Any thread. Override it if the wait is not in a queue of the process.
    virtual bool leave(WaitResult result) noexcept { return dequeue(result); }

    /// Called on the executor when the wait is over. May enqueue the waiter again, or destroy it.
    virtual void on_complete(WaitResult result) noexcept = 0;

    /// Called if the executor ends before it could run the completion. If the wake-up was meant for one of many
    /// waiters, pass it on here.
    virtual void on_discard() noexcept {}

private:
    void deliver() noexcept final { executor_->post(*this); }
    void run() noexcept override { on_complete(result()); }
    void discard() noexcept override { on_discard(); }

    Executor* executor_;
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
