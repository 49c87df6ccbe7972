// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/core/driver/select_cycle.hpp>
#include <futon/core/loop/agent_waiter.hpp>
#include <futon/core/operation/select_group.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/loop/promise_state.hpp>
#include <futon/timer.hpp>

namespace futon::core {

/// A coroutine's select that must wait: the job that the group's delivery posts, and one wait of its agent, whatever
/// the number of its queues.
///
/// Threads  only the agent's own.
class FUTON_API SelectWaiter final : public AgentWaiter {
public:
    /// Throws  NoExecutor; what a choice throws that needs something to wait
    SelectWaiter(SelectCycle& cycle, detail::Continuation continuation);
    ~SelectWaiter() override;

    /// Returns whether the coroutine must wait.
    bool start() noexcept;

private:
    class Group final : public SelectGroup {
    public:
        explicit Group(SelectWaiter& waiter) noexcept;
        void deliver() noexcept override;
        Pace* pace() const noexcept override { return waiter_.pace(); }

    private:
        SelectWaiter& waiter_;
    };

    bool leave(WaitResult result) noexcept override;
    void on_complete(WaitResult result) noexcept override;
    void on_teardown(bool was_woken) noexcept override;

    SelectCycle& cycle_;
    detail::Continuation continuation_;
    Group group_;
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
