// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <coroutine>
#include <exception>
#include <utility>

#include <futon/core/await.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/maybe.hpp>
#include <futon/detail/promise_state.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/unawaited.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/sync/condition.hpp>
#include <futon/time_limit.hpp>

// How coroutines wait at a Condition: what its awaitables are.
namespace futon {

/// What `wait_async` returns: `co_await` gives a WaitResult, and the guard owns the lock again.
class FUTON_API FUTON_WARN_UNUSED
    [[nodiscard("nothing is waited for before it is awaited: write co_await")]] Condition::AwaitWait {
public:
    AwaitWait(Condition & condition, AsyncLock::Guard & guard, Deadline deadline, std::stop_token stop);
    AwaitWait(const AwaitWait&) = delete;
    AwaitWait& operator=(const AwaitWait&) = delete;
#ifdef FUTON_CHECKED
    ~AwaitWait() {
        if (!wait_) detail::report_unawaited(Waiting::name);
    }
#endif

    bool await_ready();

    template <class P>
    bool await_suspend(std::coroutine_handle<P> coroutine) {
        return wait_->await_suspend(coroutine);
    }

    WaitResult await_resume();

private:
    Condition& condition_;
    AsyncLock::Guard& guard_;
    Deadline deadline_;
    std::stop_token stop_;
    detail::Maybe<core::Await<Waiting>> wait_;
};

/// Waits again and again, whatever the predicate, and resumes the coroutine in the end.
class FUTON_API Condition::AwaitUntilBase {
public:
    AwaitUntilBase(const AwaitUntilBase&) = delete;
    AwaitUntilBase& operator=(const AwaitUntilBase&) = delete;

    bool await_ready();

    template <class P>
    bool await_suspend(std::coroutine_handle<P> coroutine) {
        awaiting_ = detail::Continuation(coroutine);
        return must_wait();
    }

    PredicateResult await_resume();

protected:
    AwaitUntilBase(Condition& condition, AsyncLock::Guard& guard, Deadline deadline, std::stop_token stop);
    virtual ~AwaitUntilBase();

    /// Ends the wait. Before the predicate is destroyed, for that may own what is waited for.
    void withdraw() noexcept { wait_.reset(); }

    /// Whether it was awaited.
    bool is_used() const noexcept { return is_used_; }

    /// The predicate, asked with the lock held. What it throws, the wait throws.
    virtual bool holds() = 0;

private:
    /// Goes on after one wait.
    struct FUTON_API Next {
        AwaitUntilBase* until;
        void resume() const;
        void abandon() const;
    };

    bool is_over(WaitResult result);
    bool must_wait();
    bool must_wait_again() noexcept;
    bool has_ended();

    Condition& condition_;
    AsyncLock::Guard& guard_;
    Deadline deadline_;
    std::stop_token stop_;
    detail::Continuation awaiting_;
    std::exception_ptr error_;
    PredicateResult answer_{false, WaitResult::cancelled};
    bool is_used_ = false;
    detail::Maybe<core::Await<Waiting, Next>> wait_;
};

/// What `wait_async` with a predicate returns: `co_await` gives a PredicateResult.
template <std::predicate Predicate>
class FUTON_WARN_UNUSED
    [[nodiscard("nothing is waited for before it is awaited: write co_await")]] Condition::AwaitUntil final
    : public AwaitUntilBase {
public:
    AwaitUntil(Condition & condition, AsyncLock::Guard & guard, Predicate holds, Deadline deadline,
               std::stop_token stop)
        : AwaitUntilBase(condition, guard, deadline, std::move(stop)), holds_(std::move(holds)) {}
    ~AwaitUntil() override {
#ifdef FUTON_CHECKED
        if (!this->is_used()) detail::report_unawaited(Waiting::name);
#endif
        this->withdraw();
    }

private:
    bool holds() override {
        return holds_();
    }

    Predicate holds_;
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

// What a task does where it must wait is compiled once, in the library: see src/sync/awaits.cpp.
extern template class core::Await<Condition::Waiting>::Waiting;

}  // namespace futon

#include <futon/detail/end.hpp>
