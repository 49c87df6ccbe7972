// SPDX-License-Identifier: MIT
#pragma once

#include <coroutine>
#include <optional>
#include <type_traits>
#include <utility>

#include <futon/agent.hpp>
#include <futon/core/agent_waiter.hpp>
#include <futon/core/blocked_waiter.hpp>
#include <futon/core/selection.hpp>
#include <futon/core/settling.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/promise_state.hpp>
#include <futon/detail/select_misuse.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/time_limit.hpp>

namespace futon {

/// Something for `select` to choose, beside operations: a deadline, a stop.
inline Timeout timeout(TimeLimit limit) noexcept {
    return {limit};
}
inline StopRequested stop_requested(std::stop_token token) noexcept {
    return {std::move(token)};
}

/// The last choice of a `select` that does not wait: chosen at once if nothing else is ready. Such a select never blocks, so
/// that any thread may call it.
///
///     auto chosen = futon::select(lock.locking(), word_changing, futon::otherwise());
///     if (std::holds_alternative<futon::Otherwise>(chosen)) ...       // nothing was ready
constexpr Otherwise otherwise() noexcept {
    return {};
}

/// As the first argument of `select`: of the operations that are ready the first in order is chosen.
struct InOrder {
    explicit InOrder() = default;
};
inline constexpr InOrder in_order{};

/// A choice that is there if `is_on`: a `std::optional` of an operation, which is a choice of `select`. One that is empty is
/// never chosen, and costs nothing.
///
///     futon::select(in.receiving(), futon::choice_if(!pending.empty(), out.sending_from(next)), futon::timeout(5ms));
///
/// The operation is made in any case. Where that is not wanted, make the `std::optional` by hand.
template <core::Operation Op>
std::optional<Op> choice_if(bool is_on, Op operation) {
    return is_on ? std::optional<Op>(std::move(operation)) : std::nullopt;
}

namespace core {

/// A select of a blocked thread.
class BlockedGroup final : public SelectGroup {
public:
    explicit BlockedGroup(const Agent* agent) noexcept : SelectGroup(WaiterDescription::Kind::thread, agent) {}

    void deliver() noexcept override { WaiterAccess::deliver(bell_); }

    /// Blocks until the group is delivered, or claimed here by its deadline.
    void sleep(Deadline deadline, std::uint32_t whose) noexcept {
        if (deadline.is_never()) {
            bell_.park();
        } else if (!bell_.park_until(deadline.time_point()) && !claim_here(whose)) {
            bell_.park();  // [once] another was chosen first: its delivery is under way
        }
    }

private:
    BlockedWaiter bell_;  // is in no queue: a parker
};

/// What `select_async` returns: `co_await` gives what `select` returns.
template <Selectable... Ts>
class [[nodiscard("nothing is chosen before it is awaited: write co_await")]] AwaitSelect {
public:
    explicit AwaitSelect(Preference preference, Ts... choices) : selection_(preference, std::move(choices)...) {}
    AwaitSelect(const AwaitSelect&) = delete;
    AwaitSelect& operator=(const AwaitSelect&) = delete;

    bool await_ready() {
        if constexpr (Selection<Ts...>::has_default) {
            selection_.require_usable(nullptr);
        } else {
            Agent::current().require_executor_for_wait();
            selection_.require_usable(&Agent::current());
        }
        if (std::exchange(is_used_, true)) throw_used_twice("futon::select_async");
        return selection_.try_now();
    }

    template <class P>
    bool await_suspend(std::coroutine_handle<P> coroutine) {
        waiting_.emplace(selection_, detail::Continuation(coroutine));
        return waiting_->start();
    }

    typename Selection<Ts...>::Result await_resume() {
        return selection_.take_result();
    }

private:
    /// The job that the group's delivery posts: one wait of its agent, whatever the number of its queues.
    class Waiting final : public AgentWaiter {
    public:
        Waiting(Selection<Ts...>& selection, detail::Continuation continuation)
            : AgentWaiter(Agent::current()), selection_(selection), continuation_(continuation), group_(*this) {
            selection_.prepare(agent());
        }

        ~Waiting() override {
            unwatch();
            if (end() == Found::woken) selection_.abandon(group_);
        }

        /// Returns whether the coroutine must wait.
        bool start() noexcept {
            if (!selection_.start(group_)) return false;
            // The delivery may be posted by now, but it runs on this thread: later. [later]
            begin();
            selection_.watch(group_, &executor());
            retry_.arm(selection_.retry_at(Caller::task));
            return true;
        }

    private:
        class Group final : public SelectGroup {
        public:
            explicit Group(Waiting& waiting) noexcept
                : SelectGroup(WaiterDescription::Kind::task, &waiting.agent()), waiting_(waiting) {}
            void deliver() noexcept override { WaiterAccess::deliver(waiting_); }

        private:
            Waiting& waiting_;
        };

        /// Ends the wait for another try.
        class Retry final : private Timer {
        public:
            explicit Retry(Waiting& waiting) noexcept : waiting_(waiting) {}
            void arm(Deadline deadline) noexcept {
                is_armed_ = !deadline.is_never() && waiting_.executor().keeps_timers();
                if (is_armed_) waiting_.executor().arm(*this, deadline.time_point());
            }
            void disarm() noexcept {
                if (std::exchange(is_armed_, false)) waiting_.executor().disarm(*this);
            }

        private:
            void fire() noexcept override {
                is_armed_ = false;
                if (waiting_.group_.claim(SelectGroup::again)) waiting_.group_.deliver();
            }

            Waiting& waiting_;
            bool is_armed_ = false;
        };

        bool leave(WaitResult) noexcept override {
            if (!group_.claim_here(SelectGroup::torn_down)) return false;
            selection_.cancel();
            return true;
        }

        void on_complete(WaitResult) noexcept override {
            unwatch();
            if (selection_.proceed(group_) || !start()) continuation_.resume();
        }

        void unwatch() noexcept {
            selection_.unwatch();
            retry_.disarm();
        }

        void on_teardown(bool) noexcept override {
            unwatch();
            if (group_.winner() != SelectGroup::torn_down) selection_.abandon(group_);
            continuation_.abandon();
        }

        Selection<Ts...>& selection_;
        detail::Continuation continuation_;
        Group group_;
        Retry retry_{*this};
    };

    Selection<Ts...> selection_;
    bool is_used_ = false;
    std::optional<Waiting> waiting_;
};

template <Selectable... Ts>
auto select(Preference preference, Ts... choices) -> typename Selection<Ts...>::Result {
    constexpr bool has_default = Selection<Ts...>::has_default;
    static_assert(has_default || !(is_settling<Ts> || ...),
                  "futon::select: a promise settles on its agent's executor, which does not run while this thread is "
                  "blocked; use select_async, or otherwise() as the last choice");
    if constexpr (!has_default) {
        if (!detail::this_thread_can_block()) [[unlikely]]
            detail::throw_blocking_forbidden("futon::select");
    }
    Selection<Ts...> selection(preference, std::move(choices)...);
    selection.require_usable(nullptr);
    if (selection.try_now()) return selection.take_result();
    if constexpr (!has_default) {
        BlockedGroup group(detail::this_agent());
        const auto [deadline, whose] = selection.earliest();
        bool has_ended = false;
        while (!has_ended && selection.start(group)) {
            selection.watch(group, nullptr);
            const Deadline retry = selection.retry_at(Caller::thread);
            if (retry.time_point() < deadline.time_point()) {
                group.sleep(retry, SelectGroup::again);
            } else {
                group.sleep(deadline, whose);
            }
            selection.unwatch();
            has_ended = selection.proceed(group);
        }
    }
    return selection.take_result();
}

}  // namespace core

/// Waits until one of several operations is done, and does that one; the others leave their queues and lose nothing.
///
///     auto chosen = futon::select(futon::waiting(word, 0), lock.locking(), futon::timeout(50ms));
///     if (auto* guard = std::get_if<1>(&chosen)) ...       // the lock is this thread's
///
/// A notify, an unlock, a release that meets the waiter of a select that is over wakes the next waiter instead, and counts
/// that one. If nothing is ready but `otherwise()` is the last choice, that is chosen at once.
///
/// A choice may be a `std::optional` of an operation: see `choice_if`. The number of choices is fixed when this is compiled; for
/// operations in a container, a promise of each (`promise_of`) and `race`, or a child of a `Scope` for each serves.
///
/// Returns  a variant with the result of the one that was done, at its index
/// Fairness of the operations that are ready when they are tried, each is equally likely to be chosen; `select(in_order, …)`
///          chooses the first of them. Any of them comes before a stop, that before a deadline, and of several deadlines the
///          earliest comes first. Of those that are not ready, the first that a waker chooses is
/// Threads  agents that may block; with `otherwise()` any. An operation is used once, and names no agent: each waits for the
///          caller. The same primitive may stand among the choices twice: one of the two is done
/// Throws   BlockingForbidden on an agent that may not block, before it tries; std::logic_error if an operation was used
///          before; std::system_error (not_enough_memory) if a table is full: nothing is done then
/// Cost     for each operation a short lock to enqueue and one to leave; allocates nothing
template <detail::Choosable... Ts>
auto select(Ts&&... choices) -> typename core::Selection<std::remove_cvref_t<Ts>...>::Result {
    return core::select<std::remove_cvref_t<Ts>...>(core::Preference::none, std::forward<Ts>(choices)...);
}
template <detail::Choosable... Ts>
auto select(InOrder, Ts&&... choices) -> typename core::Selection<std::remove_cvref_t<Ts>...>::Result {
    return core::select<std::remove_cvref_t<Ts>...>(core::Preference::first, std::forward<Ts>(choices)...);
}

/// The same for a coroutine: an awaitable, which gives what `select` returns, now or later, on the agent that awaits it. It
/// chooses among promises, too: `settled(promise)`.
///
/// Cancel   destroying the coroutine, or the end of its agent: what had been done by then is given back
/// Throws   when awaited: NoExecutor on a thread without an executor, or with a deadline on one that keeps no timers, unless
///          `otherwise()` is the last choice; otherwise as `select`. In a coroutine that is not futon's, std::system_error
///          (operation_canceled) if its agent ends first
/// Cost     as `select`; a promise that is waited for allocates
template <detail::Choosable... Ts>
core::AwaitSelect<std::remove_cvref_t<Ts>...> select_async(Ts&&... choices) {
    return core::AwaitSelect<std::remove_cvref_t<Ts>...>(core::Preference::none, std::forward<Ts>(choices)...);
}
template <detail::Choosable... Ts>
core::AwaitSelect<std::remove_cvref_t<Ts>...> select_async(InOrder, Ts&&... choices) {
    return core::AwaitSelect<std::remove_cvref_t<Ts>...>(core::Preference::first, std::forward<Ts>(choices)...);
}

}  // namespace futon
