// SPDX-License-Identifier: MIT
#pragma once

#include <futon/core/wait_table.hpp>
#include <futon/executor.hpp>

namespace futon::core {

/// A waiter that does not block: when it is unlinked, `on_complete` is posted to an executor. The zero-allocation door.
///
/// Derive, override, keep the object in place, and join it to a word's line:
///
///     struct Redraw : futon::core::AsyncWaiter {
///         using AsyncWaiter::AsyncWaiter;
///         void on_complete(futon::WaitResult) noexcept override { draw(); }
///     };
///     Redraw redraw(loop);
///     redraw.enqueue(futon::Word(frame).equals(0));
///
/// Settles   never inside `join`, `leave` or notify. [later]
/// Cancel    `leave` or `finish` from any thread, but not while the waiter may be joining again; if it says false, the
///           completion is on its way.
/// Requires  it has left before its executor ends. It is not destroyed between its unlinking and its completion: destroy
///           it idle, or once `leave` has said true. Where nobody can notify it, destroying it in line takes it out.
/// Cost      72 bytes of its own, and a post for each wake.
class AsyncWaiter : public Waiter, public Job {
public:
    explicit AsyncWaiter(Executor& executor) noexcept : executor_(&executor) {}

    /// Joins the line of the condition's word if the condition holds. Returns whether it did.
    bool enqueue(WaitCheck check) noexcept { return process_table().enqueue(*this, check); }

    /// Leaves the line. Returns true if this did it, and then no completion follows.
    bool dequeue() noexcept { return process_table().dequeue(*this, WaitResult::cancelled); }

    /// Leaves the line with a completion: if it was still in line, `on_complete(result)` is posted.
    bool finish(WaitResult result) noexcept {
        if (!process_table().dequeue(*this, result)) return false;
        deliver();
        return true;
    }

    Executor& executor() const noexcept { return *executor_; }

protected:
    ~AsyncWaiter() { dequeue(); }

    /// The wait is over. Runs on the executor; may join again, or destroy the waiter.
    virtual void on_complete(WaitResult result) noexcept = 0;

    /// The executor ended before it could run the completion. A wake that was meant for one of many should be passed
    /// on from here.
    virtual void on_discard() noexcept {}

private:
    void deliver() noexcept final { executor_->post(*this); }
    void run() noexcept override { on_complete(result()); }
    void discard() noexcept override { on_discard(); }

    Executor* executor_;
};

}  // namespace futon::core
