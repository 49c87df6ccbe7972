// SPDX-License-Identifier: MIT
#include <futon/detail/agent_wait.hpp>

#include <utility>

#include <futon/detail/contract.hpp>

namespace futon::detail {

AgentWait::AgentWait(Agent& agent) : AsyncWaiter(agent.require_executor()), agent_(&agent) {
    expects(agent.slot_ == &this_agent_slot(), "an agent's waits begin on its own thread");
}

bool AgentWait::end() noexcept {
    constexpr const char* rule =
        "a wait must not be destroyed while its wake is on its way to an executor that cannot retract it";
    expects(!has_outlived_agent_, rule);
    if (!is_owned_) return false;
    const bool was_in_line = dequeue();
    expects(was_in_line || executor().retract(*this), rule);
    forget();
    return !was_in_line && result() == WaitResult::ok;
}

bool AgentWait::enqueue(core::WaitCheck check) noexcept {
    if (!AsyncWaiter::enqueue(check)) return false;
    // The completion may be posted by now, but it runs on this thread: later. [later]
    insert_before(agent_->waits_);
    is_owned_ = true;
    if (is_work_) executor().work_started();
    return true;
}

bool AgentWait::withdraw() noexcept {
    if (!dequeue()) return false;
    forget();
    return true;
}

void AgentWait::unref() noexcept {
    if (is_owned_ && is_work_) executor().work_finished();
    is_work_ = false;
}

void AgentWait::run() noexcept {
    if (has_outlived_agent_) return discard();
    forget();
    on_complete(result());
}

void AgentWait::discard() noexcept {
    has_outlived_agent_ = false;
    forget();
    on_teardown(result() == WaitResult::ok);
}

void AgentWait::forget() noexcept {
    if (!is_owned_) return;
    unlink();
    is_owned_ = false;
    if (is_work_) executor().work_finished();
}

void AgentWait::outlive_agent() noexcept {
    forget();
    has_outlived_agent_ = true;
}

void WaitLimits::start(Deadline deadline, const std::stop_token& token) noexcept {
    if (!deadline.is_never()) {
        is_armed_ = true;
        waiter_.executor().arm(*this, deadline.time_point());
    }
    if (token.stop_possible()) on_stop_.emplace(token, Cancel{waiter_});
}

void WaitLimits::stop() noexcept {
    if (std::exchange(is_armed_, false)) waiter_.executor().disarm(*this);
    on_stop_.reset();
}

std::optional<WaitResult> already_over(Deadline deadline, const std::stop_token& token) noexcept {
    if (token.stop_requested()) return WaitResult::cancelled;
    if (deadline.is_due()) return WaitResult::timed_out;
    return std::nullopt;
}

}  // namespace futon::detail
