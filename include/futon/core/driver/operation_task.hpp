// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/core/loop/agent_waiter.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/core/operation/operation_waiter.hpp>
#include <futon/detail/export.hpp>
#include <futon/wait_result.hpp>

namespace futon::core {

/// The waiter of an operation that a task waits for: an `OperationWaiter` that also watches deadline and stop, and
/// knows each move of the operation's cycle. `Base` is an `AgentWaiter` or an `ExecutorWaiter`. The driver only says
/// what a delivery does:
///
///     void on_complete(WaitResult result) noexcept override {
///         if (this->proceed(result, Until(limits_)) == Progress::queued) return;  // it waits again
///         ...                                                                        // it has ended
///     }
///     void on_teardown(bool was_woken) noexcept override { this->give_up(was_woken); ... }
///     ~MyTask() override { this->take_back(); }                                      // while the operation is there
///
/// Threads   as `Base`
/// Requires  the driver's destructor calls `take_back`, or `end`: its operation is needed for that
template <class Driver, class Base, class Watch = WaitLimits>
class FUTON_API OperationTask : public OperationWaiter<Driver, Base> {
protected:
    /// Where the end of a wait found the waiter.
    using Found = typename Base::Found;

    /// `owner` is the agent or the executor.
    template <class Owner>
    explicit OperationTask(Owner& owner) : OperationWaiter<Driver, Base>(owner), limits_(*this) {}

    /// Begins the cycle: does the operation, or enqueues this and watches the limits.
    Progress start(const Until& until) noexcept {
        return watch(core::begin<Caller::task>(this->op(), static_cast<Driver&>(*this), until), until);
    }

    /// The same for an operation that was tried just now.
    Progress start_tried(const Until& until) noexcept {
        return watch(core::begin_tried<Caller::task>(this->op(), static_cast<Driver&>(*this), until), until);
    }

    /// Goes on after a delivery with this result. A stop under way must not end the next wait too, so the limits are
    /// watched anew.
    Progress proceed(WaitResult result, const Until& until) noexcept {
        limits_.stop();
        return watch(core::proceed<Caller::task>(this->op(), static_cast<Driver&>(*this), result, until), until);
    }

    /// If this is queued, watches the limits that the operation still has. Returns `progress`.
    Progress watch(Progress progress, const Until& until) noexcept {
        if (progress == Progress::queued) limits_.start(end_of_wait(this->op(), until));
        return progress;
    }

    /// Stops watching the limits.
    void unwatch() noexcept { limits_.stop(); }

    /// The caller is gone, and this was dequeued. If a waker did so, what the wake-up was for is passed on.
    void give_up(bool was_woken) noexcept {
        limits_.stop();
        if (was_woken) {
            core::abandon(this->op(), *this);
        } else {
            core::left(this->op());
        }
    }

    /// The same, wherever the wait is, if it has not ended.
    void take_back() noexcept {
        if (this->is_waiting()) take_back_now();
    }

    /// `Base::end`, for a driver that has nothing to pass on.
    void end() noexcept {
        limits_.stop();
        if (this->is_waiting()) Base::end();
    }

    bool leave(WaitResult result) noexcept override { return table_of(this->op()).dequeue(*this, result); }

private:
    [[gnu::noinline]] void take_back_now() noexcept {
        limits_.stop();
        give_up(Base::end() == Found::woken);
    }

    [[no_unique_address]] Watch limits_;
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
