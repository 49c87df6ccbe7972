// SPDX-License-Identifier: MIT
#include <futon/scope.hpp>

#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <futon/agent.hpp>
#include <futon/core/loop/agent_waiter.hpp>
#include <futon/detail/contract.hpp>

#include "base/error.hpp"
#include "platform/stop_order.hpp"

namespace futon {

Scope::Scope(std::stop_token parent) : state_(new detail::ScopeState(std::move(parent))) {}

Scope::~Scope() {
    state_->leave();
}

namespace detail {

ScopeState::ScopeState(std::stop_token parent) : home_(&this_agent_slot()) {
    Agent::current().require_executor("futon::Scope");
    watch(on_parent_stop_, parent);
}

const ScopeState& ScopeState::require_home(const char* operation) const {
    if (home_ != &this_agent_slot()) [[unlikely]]
        throw std::logic_error(std::string(operation) + ": a scope is used on the thread of its agent only");
    return *this;
}

void ScopeState::watch(OnStop& on_stop, const std::stop_token& token) noexcept {
    if (token.stop_possible()) platform::watch_stop(on_stop, token, RequestStop{*this});
}

void ScopeState::unwatch(OnStop& on_stop) noexcept {
    platform::unwatch_stop(on_stop);
}

void ScopeState::leave() noexcept {
    expects(home_ == &this_agent_slot(), "a scope is used on the thread of its agent only");
    unwatch(on_parent_stop_);
    if (running_ != 0) {
        // The coroutine that holds the scope is being destroyed while it waits. The children are ended first, for they
        // may refer to it.
        Agent& agent = Agent::current();
        const bool is_teardown = agent.is_ending_ || agent.is_closed_;
        if (is_teardown) agent.end_waits();
        expects(is_teardown || running_ == 0,
                "a scope ends after its children: co_await its join(), which an exception may have passed over, or use "
                "futon::with_scope");
    } else if (exception_ != nullptr) {
        report_unhandled(std::exchange(exception_, nullptr));
    }
    drop_handle();
}

ScopeState& ScopeState::begin_child() {
    require_home("futon::Scope::spawn");
    if (is_joined_) throw std::logic_error("futon::Scope::spawn: the scope was joined, and has no children any more");
    ++running_;
    return *this;
}

void ScopeState::end_child(bool has_ended) noexcept {
    if (!has_ended) was_torn_down_ = true;
    if (--running_ != 0 || joining_ == nullptr) return;
    if (joining_->is_abandoned_) return joining_->abandon();
    is_joined_ = true;
    if (was_torn_down_) {
        PromiseStateBase::abandon();
    } else {
        fulfil();
    }
}

void ScopeState::fail(std::exception_ptr exception) noexcept {
    if (exception_ == nullptr) exception_ = std::move(exception);
    request_stop();
}

ScopeJoin::ScopeJoin(ScopeState& scope, Limits limits)
    : Reaction((scope.require_home("futon::Scope::join"), Agent::current())),
      scope_(scope),
      limits_(std::move(limits).from_now()) {}

ScopeJoin::~ScopeJoin() {
    if (scope_->joining_ == this) scope_->joining_ = nullptr;
    end_limits();
    expects(PromiseStateBase::remove_reaction(*this),
            "a coroutine must not be destroyed while its wake is on its way to an executor that cannot retract it");
}

bool ScopeJoin::await_ready() {
    scope_->require_home("futon::Scope::join");
    if (scope_->joining_ != nullptr)
        throw std::logic_error("futon::Scope::join: another coroutine is joining the scope");
    core::require_timers(Agent::current(), limits_.deadline(), "futon::Scope::join");
    if (scope_->running_ != 0) return false;
    scope_->is_joined_ = true;
    return true;
}

/// The limits are started last: a stop may end children at once.
void ScopeJoin::start() noexcept {
    scope_->joining_ = this;
    scope_->add_reaction(*this);
    if (limits_.has_deadline()) limit_.arm(*scope_, *Agent::current().executor(), limits_.deadline());
    scope_->watch(on_stop_, limits_.stop());
}

void ScopeJoin::end_limits() noexcept {
    limit_.disarm();
    ScopeState::unwatch(on_stop_);
}

void ScopeJoin::await_resume() {
    if (std::exception_ptr exception = std::exchange(scope_->exception_, nullptr))
        std::rethrow_exception(std::move(exception));
    if (scope_->is_joined_ && !scope_->was_torn_down_) return;
    detail::throw_error(std::errc::operation_canceled, "futon::Scope::join: the agent ended before the children did");
}

void ScopeJoin::run() noexcept {
    PromiseStateBase::mark_delivered(*this);
    wait_.end();
    scope_->joining_ = nullptr;
    end_limits();
    continuation_.resume();
}

void ScopeJoin::discard() noexcept {
    PromiseStateBase::mark_delivered(*this);
    end_limits();
    if (scope_->running_ == 0) return abandon();
    is_abandoned_ = true;
}

void ScopeJoin::abandon() noexcept {
    scope_->joining_ = nullptr;
    if (!scope_->is_joined_) scope_->was_torn_down_ = true;  // else the children had ended
    continuation_.abandon();
}

void ScopeJoin::Limit::arm(ScopeState& scope, Executor& executor, Deadline deadline) noexcept {
    scope_ = &scope;
    executor_ = &executor;
    executor.arm(*this, deadline.time_point());
}

void ScopeJoin::Limit::disarm() noexcept {
    if (executor_ != nullptr) std::exchange(executor_, nullptr)->disarm(*this);
}

void ScopeJoin::Limit::fire() noexcept {
    executor_ = nullptr;
    scope_->request_stop();
}

}  // namespace detail

}  // namespace futon
