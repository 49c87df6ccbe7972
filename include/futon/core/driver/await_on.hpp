// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <coroutine>
#include <type_traits>
#include <utility>

#include <futon/core/driver/operation_task.hpp>
#include <futon/core/loop/executor_waiter.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/detail/driver/unawaited.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/loop/promise_state.hpp>
#include <futon/detail/maybe.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/executor.hpp>
#include <futon/limits.hpp>

namespace futon::core {

/// What `await_on` returns: the awaitable of an operation that continues in a job of an executor, without an agent. A
/// single attempt, which begins when it is awaited and allocates nothing.
template <Operation Op>
class FUTON_API FUTON_WARN_UNUSED [[nodiscard("nothing begins before it is awaited: write co_await")]] AwaitOn {
public:
    AwaitOn(Executor & executor, Op op, Limits limits)
        : executor_(executor), op_(std::move(op)), limits_(std::move(limits).from_now()) {}
    AwaitOn(const AwaitOn&) = delete;
    AwaitOn& operator=(const AwaitOn&) = delete;
#ifdef FUTON_CHECKED
    ~AwaitOn() {
        if (progress_ == Progress::queued && !waiting_) detail::report_unawaited(Op::name);
    }
#endif

    bool await_ready() {
        require_unused(op_);
        if (limits_.has_deadline()) require_timers(executor_, Op::name);
        if (progress_ != Progress::queued || waiting_) throw_used_twice(Op::name);
        if (!try_first(op_)) return false;
        progress_ = Progress::at_once;
        return true;
    }

    /// Returns whether the coroutine must wait. If so, it may have resumed elsewhere already, and have destroyed this.
    /// [hand-over]
    ///
    /// Not inline: a compiler could place its local variables in the coroutine's frame, and touch them afterwards.
    template <class P>
    [[gnu::noinline]] bool await_suspend(std::coroutine_handle<P> coroutine) noexcept {
        static_assert(
            !detail::is_own_coroutine<P>,
            "futon::await_on: a coroutine that returns a futon::Promise stays on the thread of its agent: write "
            "co_await futon::await(operation)");
        return waiting_.emplace(*this, coroutine).begin();
    }

    typename Op::Result await_resume() {
        if (progress_ == Progress::no_memory) throw_table_full(Op::name);
        return op_.result(to_ending(progress_));
    }

private:
    /// The waiter, made when the first try has failed.
    class FUTON_API Waiting final : public OperationTask<Waiting, ExecutorWaiter> {
    public:
        Waiting(AwaitOn& attempt, std::coroutine_handle<> coroutine) noexcept;
        ~Waiting() override;

        /// Returns whether the coroutine must wait. If so, the caller must not touch this any more.
        bool begin() noexcept;

        Op& operation() noexcept { return attempt_.op_; }

    private:
        using Delivery = ExecutorWaiter::Delivery;

        bool goes_on(Progress progress) noexcept;
        Progress given_up() noexcept;
        void on_complete(WaitResult result) noexcept override;
        void on_discard() noexcept override;

        AwaitOn& attempt_;
        std::coroutine_handle<> coroutine_;
    };

    Executor& executor_;
    Op op_;
    Limits limits_;
    Progress progress_ = Progress::queued;  // until the wait has ended
    detail::Maybe<Waiting> waiting_;
};

// The waiting path.

template <Operation Op>
AwaitOn<Op>::Waiting::Waiting(AwaitOn& attempt, std::coroutine_handle<> coroutine) noexcept
    : OperationTask<Waiting, ExecutorWaiter>(attempt.executor_), attempt_(attempt), coroutine_(coroutine) {}

template <Operation Op>
AwaitOn<Op>::Waiting::~Waiting() {
    this->take_back();
}

template <Operation Op>
bool AwaitOn<Op>::Waiting::begin() noexcept {
    return goes_on(this->start_tried(Until(attempt_.limits_)));
}

/// Returns whether it waits. If so, the coroutine may run elsewhere already, and this be gone. When it is called, all
/// limits are being watched. [hand-over]
template <Operation Op>
bool AwaitOn<Op>::Waiting::goes_on(Progress progress) noexcept {
    while (progress == Progress::queued) {
        const Delivery delivery = this->hand_over();
        if (delivery == Delivery::to_come) return true;
        progress = delivery == Delivery::came ? this->proceed(this->result(), Until(attempt_.limits_)) : given_up();
    }
    attempt_.progress_ = progress;
    return false;
}

template <Operation Op>
Progress AwaitOn<Op>::Waiting::given_up() noexcept {
    this->give_up(this->result() == WaitResult::ok);
    return Progress::cancelled;
}

template <Operation Op>
void AwaitOn<Op>::Waiting::on_complete(WaitResult result) noexcept {
    if (!goes_on(this->proceed(result, Until(attempt_.limits_)))) coroutine_.resume();
}

template <Operation Op>
void AwaitOn<Op>::Waiting::on_discard() noexcept {
    attempt_.progress_ = given_up();
    coroutine_.resume();
}

/// Does `op`, now or later, for a coroutine without an agent: in a thread pool or a strand, and of any coroutine type
/// but futon's own. If the operation is done at once, the coroutine goes on where it is. Else it is suspended, and a
/// job of `executor` resumes it, on the thread that runs the job.
///
///     futon::AsyncLock::Guard guard = co_await futon::await_on(strand, lock.locking());
///     auto item = co_await futon::await_on(strand, channel.receiving(), {10ms, stop});
///
/// Cancel    the limits; a stop may be requested on any thread. If the executor ends and discards the job, the
///           coroutine is resumed with `cancelled`, and a completed operation is given back. Destroying the coroutine
///           also gives it back; see Requires
/// Threads   await it within a job of `executor`, or on its thread: timers are armed and `work_started` is called
///           there. An executor that overrides only `post` may be awaited from any thread, and may run jobs in
///           parallel. An executor that keeps timers runs one job at a time, timers included
/// Requires  the wait ends before the executor does: by a wake-up, its deadline, a stop, or the end of the coroutine. A
///           waiting coroutine is destroyed only within a job of an executor that runs one at a time, or on its thread;
///           and not while its wake-up is under way, unless the executor can retract jobs. Otherwise request a stop,
///           and let the coroutine end
/// Ordering  everything before the suspension happens before everything after it
/// Throws    when awaited: NoExecutor if there is a deadline and the executor keeps no timers; std::logic_error if the
///           operation was used before, or another coroutine awaits it; std::system_error (not_enough_memory) if the
///           table is full. The operation is not done then
/// Cost      allocates nothing
template <Operation Op>
AwaitOn<Op> await_on(Executor& executor, Op op, Limits limits = {}) {
    return AwaitOn<Op>(executor, std::move(op), std::move(limits));
}

// Near misses. Compilers quote the line that declares a deleted function, and with it the advice.
// clang-format off
template <class Awaitable>
    requires(!Operation<std::remove_cvref_t<Awaitable>>)
void await_on(Executor&, Awaitable&&, const auto&...) = delete;  // futon: it takes an operation: write await_on(executor, lock.locking()), event.waiting(), channel.receiving()
// clang-format on

}  // namespace futon::core

#include <futon/detail/end.hpp>
