// SPDX-License-Identifier: MIT
#include <futon/core/loop/agent_waiter.hpp>

#include <string>
#include <utility>

#include <futon/detail/contract.hpp>

#include "loop/current_agent.hpp"
#include "platform/stop_order.hpp"

namespace futon::core {

AgentWaiter::AgentWaiter(Agent& agent) : AsyncWaiter(agent.require_executor_for_wait()), agent_(&agent) {
    if (agent.is_inherited()) Agent::throw_no_executor("futon");
    detail::expects(agent.slot_ == &detail::this_agent_slot(), "an agent's waits begin on its own thread");
}

AgentWaiter::Found AgentWaiter::end() noexcept {
    constexpr const char* rule =
        "a wait must not be destroyed while its wake-up is under way to an executor that cannot retract it";
    detail::expects(!has_outlived_agent_, rule);
    if (!is_owned_) return Found::idle;
    const bool was_waiting = leave(WaitResult::cancelled);
    detail::expects(was_waiting || executor().retract(*this), rule);
    if (!was_waiting) note_arrival();
    forget();
    return !was_waiting && result() == WaitResult::ok ? Found::woken : Found::queued;
}

EnqueueResult AgentWaiter::enqueue(WaitQueues& table, const WaitCheck& check, Place place) noexcept {
    const EnqueueResult enqueued = AsyncWaiter::enqueue(table, check, place);
    // The completion may be posted by now, but it runs on this thread: later. [later]
    if (enqueued == EnqueueResult::queued) begin();
    return enqueued;
}

void AgentWaiter::begin() noexcept {
    insert_before(agent_->waits_);
    is_owned_ = true;
    if (is_work_) executor().work_started();
}

bool AgentWaiter::withdraw() noexcept {
    if (!leave(WaitResult::cancelled)) return false;
    forget();
    return true;
}

void AgentWaiter::unref() noexcept {
    if (is_owned_ && is_work_) executor().work_finished();
    is_work_ = false;
}

void AgentWaiter::run() noexcept {
    if (has_outlived_agent_) return discard();
    note_arrival();
    forget();
    on_complete(result());
}

void AgentWaiter::discard() noexcept {
    if (!std::exchange(has_outlived_agent_, false)) note_arrival();
    forget();
    on_teardown(result() == WaitResult::ok);
}

void AgentWaiter::note_arrival() noexcept {
    agent_->pace().note_arrival();
}

void AgentWaiter::forget() noexcept {
    if (!is_owned_) return;
    unlink();
    is_owned_ = false;
    if (is_work_) executor().work_finished();
}

void AgentWaiter::outlive_agent() noexcept {
    forget();
    has_outlived_agent_ = true;
}

void WaitLimits::start(const Until& until) noexcept {
    if (!until.deadline().is_never()) {
        is_armed_ = true;
        waiter_.executor().arm(*this, until.deadline().time_point());
    }
    const std::stop_token* const token = until.stop();
    if (token != nullptr && token->stop_possible()) platform::watch_stop(on_stop_, *token, Cancel{waiter_});
}

void WaitLimits::stop_watching() noexcept {
    if (std::exchange(is_armed_, false)) waiter_.executor().disarm(*this);
    platform::unwatch_stop(on_stop_);
}

void require_timers(const Executor& executor, const char* operation) {
    if (executor.keeps_timers()) return;
    throw NoExecutor(std::string(operation) +
                     ": the executor keeps no timers, so there can be no deadline; "
                     "override futon::Executor::keeps_timers, arm and disarm, or use a futon::EventLoop");
}

}  // namespace futon::core
