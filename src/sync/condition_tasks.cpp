// SPDX-License-Identifier: MIT
#include <exception>
#include <utility>

#include <futon/sync/condition.hpp>

namespace futon {

namespace {

/// The result of an awaited wait. If the wait was refused, its lock goes back to the caller's guard.
template <class Await>
Condition::Wakeup result_of(detail::Maybe<Await>& wait) {
    try {
        return wait->await_resume();
    } catch (...) {
        wait.reset();
        throw;
    }
}

}  // namespace

Condition::AwaitWait::AwaitWait(Condition& condition, AsyncLock::Guard& guard, Limits limits)
    : condition_(condition), guard_(guard), limits_(std::move(limits).from_now()) {
    condition.require_usable(lock_of(guard));
}

bool Condition::AwaitWait::await_ready() {
    core::require_timers(Agent::current(), limits_.deadline(), Waiting::name);
    if (wait_) core::throw_used_twice(Waiting::name);
    condition_.require_usable(lock_of(guard_));
    wait_.emplace(condition_.waiting_or_keeping(guard_), no_sooner_than_shortest(limits_));
    return wait_->await_ready();
}

WaitResult Condition::AwaitWait::await_resume() {
    Wakeup wakeup = result_of(wait_);
    guard_ = std::move(wakeup.guard);
    return wakeup.result;
}

Condition::AwaitUntilBase::AwaitUntilBase(Condition& condition, AsyncLock::Guard& guard, Limits limits)
    : condition_(condition), guard_(guard), limits_(std::move(limits).from_now()) {
    condition.require_usable(lock_of(guard));
}

Condition::AwaitUntilBase::~AwaitUntilBase() = default;

bool Condition::AwaitUntilBase::await_ready() {
    core::require_timers(Agent::current(), limits_.deadline(), Waiting::name);
    if (std::exchange(is_used_, true)) core::throw_used_twice(Waiting::name);
    condition_.require_usable(lock_of(guard_));
    return is_over(WaitResult::ok);
}

PredicateResult Condition::AwaitUntilBase::await_resume() {
    if (error_) std::rethrow_exception(error_);
    return answer_;
}

void Condition::AwaitUntilBase::Next::resume() const {
    AwaitUntilBase& self = *until;  // this is replaced
    if (!self.must_wait_again()) self.awaiting_.resume();
}

void Condition::AwaitUntilBase::Next::abandon() const {
    until->awaiting_.abandon();
}

/// Whether there is nothing more to wait for after a wait with this end. The lock is owned.
bool Condition::AwaitUntilBase::is_over(WaitResult result) {
    const bool is_true = holds();
    if (!is_true && result == WaitResult::ok) return false;
    answer_ = {is_true, result};
    return true;
}

/// Waits once more, and again as long as the wait is over at once.
bool Condition::AwaitUntilBase::must_wait() {
    while (true) {
        wait_.emplace(condition_.waiting_or_keeping(guard_), no_sooner_than_shortest(limits_));
        if constexpr (core::probe::is_enabled) wait_->set_task(task_);
        if (!wait_->await_ready() && wait_->suspend(Next{this})) return true;
        if (has_ended()) return false;
    }
}

bool Condition::AwaitUntilBase::must_wait_again() noexcept {
    try {
        return !has_ended() && must_wait();
    } catch (...) {
        error_ = std::current_exception();
        return false;
    }
}

bool Condition::AwaitUntilBase::has_ended() {
    Wakeup wakeup = result_of(wait_);
    guard_ = std::move(wakeup.guard);
    if (guard_.owns_lock()) {
        const bool is_late = wakeup.result == WaitResult::ok && limits_.deadline().is_due();
        return is_over(is_late ? WaitResult::timed_out : wakeup.result);
    }
    answer_ = {false, wakeup.result};
    return true;
}

}  // namespace futon
