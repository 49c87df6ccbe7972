// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <coroutine>
#include <exception>
#include <utility>

#include <futon/core/driver/await.hpp>
#include <futon/core/probe.hpp>
#include <futon/detail/driver/unawaited.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/loop/promise_state.hpp>
#include <futon/detail/maybe.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/sync/condition_operation.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/limits.hpp>
#include <futon/sync/condition.hpp>

// How coroutines wait at a Condition: its awaitables.
namespace futon {

/// What `wait_async` returns: `co_await` gives a WaitResult, and the guard owns the lock again.
class FUTON_API FUTON_WARN_UNUSED
    [[nodiscard("nothing is waited for before it is awaited: write co_await")]] Condition::AwaitWait {
public:
    AwaitWait(Condition & condition, AsyncLock::Guard & guard, Limits limits);
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
    Limits limits_;  // from the call on
    detail::Maybe<core::Await<Waiting>> wait_;
};

/// Waits until the predicate holds or a limit passes, then resumes the coroutine. The part that does not depend on the
/// predicate.
class FUTON_API Condition::AwaitUntilBase {
public:
    AwaitUntilBase(const AwaitUntilBase&) = delete;
    AwaitUntilBase& operator=(const AwaitUntilBase&) = delete;

    bool await_ready();

    template <class P>
    bool await_suspend(std::coroutine_handle<P> coroutine) {
        awaiting_ = detail::Continuation(coroutine);
        task_.set(coroutine.address());
        return must_wait();
    }

    PredicateResult await_resume();

protected:
    AwaitUntilBase(Condition& condition, AsyncLock::Guard& guard, Limits limits);
    virtual ~AwaitUntilBase();

    /// Ends the wait. Called before the predicate is destroyed, because the predicate may own what the wait uses.
    void withdraw() noexcept { wait_.reset(); }

    /// Whether it was awaited.
    bool is_used() const noexcept { return is_used_; }

    /// Asks the predicate, with the lock held. If it throws, the wait throws the same.
    virtual bool holds() = 0;

private:
    /// Continues after each single wait.
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
    Limits limits_;  // from the call on
    detail::Continuation awaiting_;
    [[no_unique_address]] core::probe::Task task_;
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
    AwaitUntil(Condition & condition, AsyncLock::Guard & guard, Predicate holds, Limits limits)
        : AwaitUntilBase(condition, guard, std::move(limits)), holds_(std::move(holds)) {}
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

inline Condition::AwaitWait Condition::wait_async(AsyncLock::Guard& guard, Limits limits) {
    return AwaitWait(*this, guard, std::move(limits));
}

template <std::predicate Predicate>
Condition::AwaitUntil<Predicate> Condition::wait_async(AsyncLock::Guard& guard, Predicate holds, Limits limits) {
    return AwaitUntil<Predicate>(*this, guard, std::move(holds), std::move(limits));
}

// The waiting code of tasks is compiled once, in the library: see src/sync/awaits.cpp.
extern template class core::Await<Condition::Waiting>::Waiting;

}  // namespace futon

#include <futon/detail/end.hpp>
