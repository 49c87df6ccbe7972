// SPDX-License-Identifier: MIT
#include <futon/detail/agent_wait.hpp>

#include <futon/detail/contract.hpp>

namespace futon::detail {

AgentWait::~AgentWait() {
    if (!is_owned_) return;
    expects(leave() || executor().retract(*this),
            "a wait must not be destroyed while its wake is on its way to an executor that cannot retract it");
    forget();
}

bool AgentWait::join(core::Condition condition) noexcept {
    if (!AsyncWaiter::join(condition)) return false;
    // The completion may be posted by now, but it runs on this thread: later. [later]
    insert_before(agent_->waits_);
    is_owned_ = true;
    if (holds_agent_) ++agent_->holds_;
    return true;
}

bool AgentWait::withdraw() noexcept {
    if (!leave()) return false;
    forget();
    return true;
}

void AgentWait::unref() noexcept {
    if (is_owned_ && holds_agent_) --agent_->holds_;
    holds_agent_ = false;
}

void AgentWait::run() noexcept {
    const bool has_agent = agent_ != nullptr;
    forget();
    if (has_agent) {
        on_complete(result());
    } else {
        on_teardown(result() == WaitResult::ok);
    }
}

void AgentWait::discard() noexcept {
    forget();
    on_teardown(result() == WaitResult::ok);
}

void AgentWait::forget() noexcept {
    if (!is_owned_) return;
    unlink();
    is_owned_ = false;
    if (holds_agent_) --agent_->holds_;
}

void AgentWait::outlive_agent() noexcept {
    forget();
    agent_ = nullptr;
}

void WaitLimits::start(Deadline deadline, const std::stop_token& token) noexcept {
    if (!deadline.is_never()) waiter_.executor().arm(*this, deadline.time_point());
    if (token.stop_possible()) on_stop_.emplace(token, Cancel{waiter_});
}

void WaitLimits::stop() noexcept {
    if (is_armed()) waiter_.executor().disarm(*this);
    on_stop_.reset();
}

std::optional<WaitResult> already_over(Deadline deadline, const std::stop_token& token) noexcept {
    if (token.stop_requested()) return WaitResult::cancelled;
    if (deadline.is_due()) return WaitResult::timed_out;
    return std::nullopt;
}

}  // namespace futon::detail
