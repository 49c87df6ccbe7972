// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <coroutine>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include <futon/core/probe.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/loop/promise_state.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/limits.hpp>
#include <futon/timer.hpp>

namespace futon::detail {

class ScopeJoin;

/// What a scope and its children share: it is fulfilled when the last child has ended and a join waits for that.
///
///     running    children that are not destroyed; each has one reference to this
///     joining    the one that waits for them
///     is_joined  no child may begin any more
///     exception  the first in time
///
/// Threads  the agent's own; `request_stop` and `stop_token`: any.
class FUTON_API ScopeState final : public PromiseState<void> {
public:
    /// Throws NoExecutor.
    explicit ScopeState(std::stop_token parent);

    /// The scope is gone. Ends the program if a child is not, unless the agent is ending.
    void leave() noexcept;

    /// Counts one more. Throws std::logic_error.
    ScopeState& begin_child();

    /// The child is destroyed: because it has ended, or because its agent ends.
    void end_child(bool has_ended) noexcept;

    void fail(std::exception_ptr exception) noexcept;

    bool request_stop() noexcept { return stop_.request_stop(); }
    std::stop_token stop_token() const noexcept { return stop_.get_token(); }
    std::size_t running() const noexcept { return running_; }

private:
    friend class ScopeJoin;

    struct RequestStop {
        ScopeState& scope;
        void operator()() const noexcept { scope.request_stop(); }
    };
    using OnStop = std::optional<std::stop_callback<RequestStop>>;

    ~ScopeState() override = default;

    /// Throws std::logic_error on another thread.
    const ScopeState& require_home(const char* operation) const;
    void watch(OnStop& on_stop, const std::stop_token& token) noexcept;
    static void unwatch(OnStop& on_stop) noexcept;

    const void* home_;
    std::stop_source stop_;
    OnStop on_parent_stop_;
    std::size_t running_ = 0;
    ScopeJoin* joining_ = nullptr;
    std::exception_ptr exception_;
    bool is_joined_ = false;
    bool was_torn_down_ = false;  // a child was destroyed before it had ended
};

/// A child, from before it begins until all is destroyed that it held.
class ScopeChild {
public:
    explicit ScopeChild(ScopeState& scope) : scope_(scope.begin_child()) {}
    ScopeChild(ScopeChild&& other) noexcept = default;
    ScopeChild& operator=(ScopeChild&&) = delete;
    ~ScopeChild() {
        if (scope_) scope_->end_child(has_ended_ || !has_begun_);
    }

    void fail(std::exception_ptr exception) noexcept { scope_->fail(std::move(exception)); }
    void begin() noexcept { has_begun_ = true; }
    const PromiseStateBase* joined() const noexcept { return &*scope_; }
    void finish() noexcept { has_ended_ = true; }
    std::stop_token stop_token() const noexcept { return scope_->stop_token(); }

private:
    StateRef<ScopeState> scope_;
    bool has_begun_ = false;  // before that what makes the child may throw, and there is none
    bool has_ended_ = false;
};

/// What `Scope::join` returns: an awaitable, used once.
class FUTON_API FUTON_WARN_UNUSED [[nodiscard]] ScopeJoin final : private Reaction {
public:
    /// Throws NoExecutor; std::logic_error on another thread.
    ScopeJoin(ScopeState& scope, Limits limits);
    ~ScopeJoin() override;
    ScopeJoin(const ScopeJoin&) = delete;
    ScopeJoin& operator=(const ScopeJoin&) = delete;

    bool await_ready();

    template <class P>
    void await_suspend(std::coroutine_handle<P> coroutine) noexcept {
        continuation_ = Continuation(coroutine);
        start();
        if constexpr (core::probe::is_enabled) {
            if (!scope_->is_pending()) return;
            // The limits request a stop of the children, and do not end the wait for them.
            wait_.begin(coroutine.address(), static_cast<const PromiseStateBase*>(&*scope_), "futon::Scope::join",
                        false);
            wait_.look_only(coroutine.address());  // if it threw, the scope would end before its children
        }
    }

    void await_resume();

private:
    friend class ScopeState;

    /// Requests a stop of the children.
    class Limit final : private Timer {
    public:
        void arm(ScopeState& scope, Executor& executor, Deadline deadline) noexcept;
        void disarm() noexcept;

    private:
        void fire() noexcept override;

        ScopeState* scope_ = nullptr;
        Executor* executor_ = nullptr;  // that keeps it armed
    };

    void start() noexcept;
    void end_limits() noexcept;

    bool is_of_coroutine() const noexcept override { return true; }
    void run() noexcept override;

    /// The agent ends. What joins is destroyed after the children, which refer to it.
    void discard() noexcept override;
    void abandon() noexcept;

    StateRef<ScopeState> scope_;
    Limits limits_;  // from the call on
    Continuation continuation_;
    ScopeState::OnStop on_stop_;
    Limit limit_;
    bool is_abandoned_ = false;  // it is destroyed with the last child
    [[no_unique_address]] core::probe::PromiseWait wait_;
};

}  // namespace futon::detail

#include <futon/detail/end.hpp>
