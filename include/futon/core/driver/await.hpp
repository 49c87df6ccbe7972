// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <coroutine>
#include <type_traits>
#include <utility>

#include <futon/core/driver/operation_task.hpp>
#include <futon/core/loop/agent_waiter.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/core/probe.hpp>
#include <futon/detail/driver/co_await_misuse.hpp>
#include <futon/detail/driver/unawaited.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/loop/promise_state.hpp>
#include <futon/detail/maybe.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/limits.hpp>

namespace futon::core {

/// The awaitable of an operation: a single attempt, which begins when it is awaited and allocates nothing.
///
/// Throws  when awaited: NoExecutor if the thread has no executor, or if there is a deadline and the executor keeps no
///         timers; std::logic_error if the operation was used before, or another coroutine awaits it; std::system_error
///         (not_enough_memory) if the table is full. The operation is not done then
///
/// `Next` is the continuation: it has `resume()`, and `abandon()` for the end of the agent.
template <Operation Op, class Next = detail::Continuation>
class FUTON_API FUTON_WARN_UNUSED [[nodiscard("nothing begins before it is awaited: write co_await")]] Await {
public:
    Await(Op op, Limits limits) : op_(std::move(op)), limits_(std::move(limits).from_now()) {}
    Await(const Await&) = delete;
    Await& operator=(const Await&) = delete;
#ifdef FUTON_CHECKED
    ~Await() {
        if (progress_ == Progress::queued && !waiting_) detail::report_unawaited(Op::name);
    }
#endif

    // Near misses. Compilers quote the line that declares a deleted function, and with it the advice.
    // clang-format off
    template <std::same_as<typename Op::Result> Result>
    operator Result() = delete;  // futon: nothing begins before it is awaited: write co_await
    // clang-format on

    bool await_ready() {
        require_unused(op_);
        require_timers(Agent::current(), limits_.has_deadline(), Op::name);
        if (progress_ != Progress::queued || waiting_) throw_used_twice(Op::name);
        if (!probe::is_ready_to_try()) return false;  // tried once the coroutine is known
        if (is_likely_to_wait(op_) || !op_.try_now()) return false;
        progress_ = Progress::at_once;
        return true;
    }

    template <class P>
    bool await_suspend(std::coroutine_handle<P> coroutine) {
        task_.set(coroutine.address());
        if constexpr (probe::is_enabled) {
            const probe::Attempt attempt(task_.frame(), Op::name, limits_);
            if (op_.try_now()) {
                progress_ = Progress::at_once;
                return false;
            }
        }
        return suspend(Next(coroutine));
    }

    /// Whose wait it is, where a probe asks; for those who call `suspend`.
    void set_task([[maybe_unused]] const probe::Task& task) noexcept {
        task_ = task;
    }

    /// Returns whether `next` must wait. Called after `await_ready`, which has tried unless it was likely to be in vain.
    bool suspend(Next next) {
        [[maybe_unused]] const probe::Attempt attempt(task_.frame(), Op::name, limits_);
        const bool must_wait = waiting_.emplace(*this, next).begin();
        if (must_wait) probe::about_to_sleep();
        return must_wait;
    }

    typename Op::Result await_resume() {
        if (progress_ == Progress::no_memory) throw_table_full(Op::name);
        [[maybe_unused]] const probe::Attempt attempt(task_.frame(), Op::name, limits_);
        return op_.result(to_ending(progress_));
    }

private:
    /// The waiter, made when the first try has failed.
    class FUTON_API Waiting final : public OperationTask<Waiting, AgentWaiter> {
    public:
        Waiting(Await& attempt, Next continuation);
        ~Waiting() override;

        /// Returns whether the coroutine must wait.
        bool begin() noexcept;

        Op& operation() noexcept { return attempt_.op_; }

    private:
        bool goes_on(Progress progress) noexcept;
        void on_complete(WaitResult result) noexcept override;
        void on_teardown(bool was_woken) noexcept override;

        Await& attempt_;
        Next continuation_;
    };

    Op op_;
    Limits limits_;
    Progress progress_ = Progress::queued;  // until the wait has ended
    [[no_unique_address]] probe::Task task_;
    detail::Maybe<Waiting> waiting_;
};

// The waiting path. Not inline: the library compiles it for its own operations.

template <Operation Op, class Next>
Await<Op, Next>::Waiting::Waiting(Await& attempt, Next continuation)
    : OperationTask<Waiting, AgentWaiter>(Agent::current()), attempt_(attempt), continuation_(continuation) {}

template <Operation Op, class Next>
Await<Op, Next>::Waiting::~Waiting() {
    this->take_back();
}

template <Operation Op, class Next>
bool Await<Op, Next>::Waiting::begin() noexcept {
    return goes_on(this->start_tried(Until(attempt_.limits_)));
}

template <Operation Op, class Next>
bool Await<Op, Next>::Waiting::goes_on(Progress progress) noexcept {
    attempt_.progress_ = progress;
    return progress == Progress::queued;
}

template <Operation Op, class Next>
void Await<Op, Next>::Waiting::on_complete(WaitResult result) noexcept {
    {
        [[maybe_unused]] const probe::Attempt attempt(attempt_.task_.frame(), Op::name, attempt_.limits_);
        if (goes_on(this->proceed(result, Until(attempt_.limits_)))) return probe::sleeps_again();
    }
    continuation_.resume();
}

template <Operation Op, class Next>
void Await<Op, Next>::Waiting::on_teardown(bool was_woken) noexcept {
    attempt_.progress_ = Progress::cancelled;
    this->give_up(was_woken);
    continuation_.abandon();
}

/// Does `op`, now or later, on the agent that awaits it: `co_await` gives its result.
///
///     auto item = co_await futon::await(channel.receiving(), {10ms, stop});
///
/// Cancel  the limits; destroying the coroutine, or the end of its agent: if the operation was
///         done by then, it is given back. When its agent ends, a coroutine of another library is resumed with
///         `cancelled`
template <Operation Op>
Await<Op> await(Op op, Limits limits = {}) {
    return Await<Op>(std::move(op), std::move(limits));
}

/// A type that `co_await` takes by itself.
// clang-format off
template <class T>
concept Awaitable = requires(T& value) { value.await_ready(); } || requires(T& value) { value.operator co_await(); };
// clang-format on

/// An operation that is not also an awaitable.
template <class Op>
concept OnlyOperation = Operation<Op> && !Awaitable<Op>;

}  // namespace futon::core

namespace futon {

// Near misses. Compilers quote the line that declares a deleted function, and with it the advice.
template <class Op>
    requires core::OnlyOperation<std::remove_cvref_t<Op>>
void operator co_await(Op&&) = delete;  // futon: await event.wait_async(), or futon::await(operation)

}  // namespace futon

#include <futon/detail/end.hpp>
