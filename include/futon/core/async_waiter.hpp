// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/core/wait_table.hpp>
#include <futon/detail/export.hpp>
#include <futon/executor.hpp>

namespace futon::core {

/// A waiter that does not block: its delivery posts `on_complete` to an executor. The allocation-free API.
///
/// Derive, override, keep the object in place, and enqueue it at a word:
///
///     struct Redraw : futon::core::AsyncWaiter {
///         using AsyncWaiter::AsyncWaiter;
///         void on_complete(futon::WaitResult) noexcept override { draw(); }
///     };
///     Redraw redraw(loop);
///     redraw.enqueue(futon::Word(frame).equals(0));
///
/// Settles   never inside `enqueue`, `dequeue` or notify. [later]
/// Cancel    `dequeue` or `finish` from any thread, but not while the waiter may be enqueued again; if it returns false,
///           the completion is under way.
/// Requires  it has been dequeued before its executor ends. It is not destroyed between its dequeueing and its
///           completion: destroy it idle, or once `dequeue` has returned true. Where no thread can notify it, destroying
///           it dequeues it.
/// Cost      72 bytes of its own, and a post for each wake.
class FUTON_API AsyncWaiter : public Waiter, public Job {
public:
    explicit AsyncWaiter(Executor& executor) noexcept : executor_(&executor) {}

    /// Enqueues it if the check says that it must wait. Returns whether it did.
    bool enqueue(WaitCheck check) noexcept { return enqueue(process_table(), check) == EnqueueResult::queued; }
    EnqueueResult enqueue(WaitQueues& table, WaitCheck check, Place place = Place::tail) noexcept {
        return table.enqueue(*this, check, place);
    }

    /// Takes it out of its queue. Returns true if this call did, and then no completion follows.
    bool dequeue(WaitResult result = WaitResult::cancelled) noexcept { return process_table().dequeue(*this, result); }

    /// Ends the wait with a completion, if it has not ended: then `on_complete(result)` is posted. Returns whether this call
    /// ended it.
    ///
    /// Threads  any, but not while the waiter may be enqueued again.
    bool finish(WaitResult result) noexcept {
        if (!leave(result)) return false;
        deliver();
        return true;
    }

    /// Where the completion runs.
    Executor& executor() const noexcept { return *executor_; }

protected:
    AsyncWaiter(Executor& executor, InGroup in_group) noexcept : Waiter(in_group), executor_(&executor) {}

    ~AsyncWaiter() override {
        if (may_be_queued()) dequeue();
    }

    /// Takes the wait out of whatever it is in, with this result. Returns true if this call did: then no delivery follows.
    /// Any thread. To be overridden where that is not a queue of the process.
    virtual bool leave(WaitResult result) noexcept { return dequeue(result); }

    /// The wait is over. Runs on the executor; may enqueue the waiter again, or destroy it.
    virtual void on_complete(WaitResult result) noexcept = 0;

    /// The executor ended before it could run the completion. A wake-up that was meant for one of many should be passed
    /// on from here.
    virtual void on_discard() noexcept {}

private:
    void deliver() noexcept final { executor_->post(*this); }
    void run() noexcept override { on_complete(result()); }
    void discard() noexcept override { on_discard(); }

    Executor* executor_;
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
