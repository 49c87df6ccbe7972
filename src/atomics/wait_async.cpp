// SPDX-License-Identifier: MIT
#include <futon/atomics.hpp>

#include <memory>
#include <optional>

#include <futon/detail/agent_wait.hpp>

namespace futon::detail {

namespace {

/// A wait that settles a promise. Besides the user's handle, the line refers to it.
class PromisedWait : public PromiseState<WaitResult>, public AgentWait {
public:
    explicit PromisedWait(Agent& agent) : AgentWait(agent) {}

    void unref() noexcept final { AgentWait::unref(); }

    bool enqueue(core::WaitCheck check) noexcept {
        retain();
        if (AgentWait::enqueue(check)) return true;
        release();
        return false;
    }

protected:
    ~PromisedWait() override = default;

private:
    /// Nothing but a notify can end the wait any more.
    virtual void end_limits() noexcept {}

    void on_complete(WaitResult result) noexcept final {
        end_limits();
        fulfil(result);
        release();
    }

    void on_teardown(bool) noexcept final {
        end_limits();
        abandon();
        release();
    }

    void on_dropped() noexcept final {
        if (!withdraw()) return;  // the completion is on its way, and brings the line's reference back
        end_limits();
        release();
    }
};

class LimitedPromisedWait final : public PromisedWait {
public:
    explicit LimitedPromisedWait(Agent& agent) : PromisedWait(agent) {}

    void start_limits(Deadline deadline, const std::stop_token& stop) noexcept { limits_.start(deadline, stop); }

private:
    void end_limits() noexcept override { limits_.stop(); }

    WaitLimits limits_{*this};
};

}  // namespace

WaitAsyncResult wait_async(core::WaitCheck check, Deadline deadline, const std::stop_token& stop, Agent& agent) {
    if (!agent.require_executor().keeps_timers() && !deadline.is_never())
        throw NoExecutor("futon::wait_async: this agent's executor keeps no timers, so a wait can have no deadline");
    if (const std::optional<WaitResult> over = already_over(deadline, stop))
        return WaitAsyncResult(core::process_table().must_wait(check) ? *over : WaitResult::not_equal);

    // All that can fail comes before the joining, and what may end the wait is started after it. [enqueue-safe]
    if (deadline.is_never() && !stop.stop_possible()) {
        auto& wait = *new PromisedWait(agent);
        Promise<WaitResult> promise = PromiseAccess::handle_of<WaitResult>(wait);
        if (!wait.enqueue(check)) return WaitAsyncResult(WaitResult::not_equal);
        return WaitAsyncResult(std::move(promise));
    }
    auto& wait = *new LimitedPromisedWait(agent);
    Promise<WaitResult> promise = PromiseAccess::handle_of<WaitResult>(wait);
    if (!wait.enqueue(check)) return WaitAsyncResult(WaitResult::not_equal);
    wait.start_limits(deadline, stop);
    return WaitAsyncResult(std::move(promise));
}

}  // namespace futon::detail
