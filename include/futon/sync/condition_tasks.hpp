// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include <futon/core/await.hpp>
#include <futon/detail/promise_state.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/sync/condition.hpp>
#include <futon/time_limit.hpp>

// How coroutines wait at a Condition: what its awaitables are.
namespace futon {

/// What `wait_async` returns: `co_await` gives a WaitResult, and the guard owns the lock again.
class [[nodiscard("nothing is waited for before it is awaited: write co_await")]] Condition::AwaitWait {
public:
    AwaitWait(Condition & condition, AsyncLock::Guard & guard, Deadline deadline, std::stop_token stop)
        : condition_(condition), guard_(guard), deadline_(deadline), stop_(std::move(stop)) {
        condition.require_usable(lock_of(guard));
    }
    AwaitWait(const AwaitWait&) = delete;
    AwaitWait& operator=(const AwaitWait&) = delete;

    bool await_ready() {
        core::require_timers(Agent::current(), deadline_, Waiting::name);
        if (wait_) core::throw_used_twice(Waiting::name);
        condition_.require_usable(lock_of(guard_));
        wait_.emplace(condition_.waiting_or_keeping(guard_), deadline_, std::move(stop_));
        return wait_->await_ready();
    }

    template <class P>
    bool await_suspend(std::coroutine_handle<P> coroutine) {
        return wait_->await_suspend(coroutine);
    }

    WaitResult await_resume() {
        Wakeup wakeup = result_of(wait_);
        guard_ = std::move(wakeup.guard);
        return wakeup.result;
    }

private:
    Condition& condition_;
    AsyncLock::Guard& guard_;
    Deadline deadline_;
    std::stop_token stop_;
    std::optional<core::Await<Waiting>> wait_;
};

/// What `wait_async` with a predicate returns: `co_await` gives whether it holds. It waits again and again, and resumes the
/// coroutine in the end.
template <std::predicate Predicate>
class [[nodiscard("nothing is waited for before it is awaited: write co_await")]] Condition::AwaitUntil {
public:
    AwaitUntil(Condition & condition, AsyncLock::Guard & guard, Predicate holds, Deadline deadline,
               std::stop_token stop)
        : condition_(condition), guard_(guard), holds_(std::move(holds)), deadline_(deadline), stop_(std::move(stop)) {
        condition.require_usable(lock_of(guard));
    }
    AwaitUntil(const AwaitUntil&) = delete;
    AwaitUntil& operator=(const AwaitUntil&) = delete;

    bool await_ready() {
        core::require_timers(Agent::current(), deadline_, Waiting::name);
        if (std::exchange(is_used_, true)) core::throw_used_twice(Waiting::name);
        condition_.require_usable(lock_of(guard_));
        return is_over(WaitResult::ok);
    }

    template <class P>
    bool await_suspend(std::coroutine_handle<P> coroutine) {
        awaiting_ = detail::Continuation(coroutine);
        return must_wait();
    }

    bool await_resume() {
        if (error_) std::rethrow_exception(error_);
        return is_true_;
    }

private:
    /// Goes on after one wait.
    struct Next {
        AwaitUntil* until;
        void resume() const {
            AwaitUntil& self = *until;  // this is replaced
            if (!self.must_wait_again()) self.awaiting_.resume();
        }
        void abandon() const { until->awaiting_.abandon(); }
    };

    /// Whether there is nothing more to wait for, after a wait that has ended so. The lock is owned.
    bool is_over(WaitResult result) {
        is_true_ = holds_();
        return is_true_ || result != WaitResult::ok;
    }

    /// Waits once more, and again as long as that is over at once.
    bool must_wait() {
        while (true) {
            wait_.emplace(condition_.waiting_or_keeping(guard_), deadline_, stop_);
            if (!wait_->await_ready() && wait_->suspend(Next{this})) return true;
            if (has_ended()) return false;
        }
    }

    bool must_wait_again() noexcept {
        try {
            return !has_ended() && must_wait();
        } catch (...) {
            error_ = std::current_exception();
            return false;
        }
    }

    bool has_ended() {
        Wakeup wakeup = result_of(wait_);
        guard_ = std::move(wakeup.guard);
        return !guard_.owns_lock() || is_over(wakeup.result);
    }

    Condition& condition_;
    AsyncLock::Guard& guard_;
    Predicate holds_;
    Deadline deadline_;
    std::stop_token stop_;
    detail::Continuation awaiting_;
    std::exception_ptr error_;
    bool is_true_ = false;
    bool is_used_ = false;
    std::optional<core::Await<Waiting, Next>> wait_;
};

inline Condition::AwaitWait Condition::wait_async(AsyncLock::Guard& guard, TimeLimit limit, std::stop_token stop) {
    return AwaitWait(*this, guard, limit.deadline(), std::move(stop));
}

inline Condition::AwaitWait Condition::wait_async(AsyncLock::Guard& guard, std::stop_token stop) {
    return AwaitWait(*this, guard, Deadline::never(), std::move(stop));
}

template <std::predicate Predicate>
Condition::AwaitUntil<Predicate> Condition::wait_async(AsyncLock::Guard& guard, Predicate holds, TimeLimit limit,
                                                       std::stop_token stop) {
    return AwaitUntil<Predicate>(*this, guard, std::move(holds), limit.deadline(), std::move(stop));
}

template <std::predicate Predicate>
Condition::AwaitUntil<Predicate> Condition::wait_async(AsyncLock::Guard& guard, Predicate holds, std::stop_token stop) {
    return AwaitUntil<Predicate>(*this, guard, std::move(holds), Deadline::never(), std::move(stop));
}

}  // namespace futon
