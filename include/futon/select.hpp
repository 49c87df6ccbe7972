// SPDX-License-Identifier: MIT
#pragma once

#include <coroutine>
#include <optional>
#include <utility>

#include <futon/agent.hpp>
#include <futon/core/agent_waiter.hpp>
#include <futon/core/blocked_waiter.hpp>
#include <futon/core/selection.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/promise_state.hpp>
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
class [[nodiscard]] AwaitSelect {
public:
    explicit AwaitSelect(Ts... choices) : selection_(std::move(choices)...) {}
    AwaitSelect(const AwaitSelect&) = delete;
    AwaitSelect& operator=(const AwaitSelect&) = delete;

    bool await_ready() {
        Agent::current().require_executor_for_wait();
        selection_.require_usable(&Agent::current());
        if (std::exchange(is_used_, true)) throw_used_twice("futon::select_async");
        return selection_.try_now();
    }

    template <class P>
    bool await_suspend(std::coroutine_handle<P> coroutine) {
        waiting_.emplace(selection_, detail::Continuation(coroutine));
        return waiting_->start();
    }

    typename Selection<Ts...>::Result await_resume() { return selection_.take_result(); }

private:
    /// The job that the group's delivery posts: one wait of its agent, whatever the number of its queues.
    class Waiting final : public AgentWaiter {
    public:
        Waiting(Selection<Ts...>& selection, detail::Continuation continuation)
            : AgentWaiter(Agent::current()), selection_(selection), continuation_(continuation), group_(*this) {}

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

}  // namespace core

/// Waits until one of several operations is done, and does that one; the others leave their queues and lose nothing.
///
///     auto chosen = futon::select(futon::waiting(word, 0), lock.locking(), futon::timeout(50ms));
///     if (auto* guard = std::get_if<1>(&chosen)) ...       // the lock is this thread's
///
/// A notify, an unlock, a release that meets the waiter of a select that is over wakes the next waiter instead, and counts
/// that one. Of those that are ready at the beginning the first in order is chosen, operations before deadlines and stops.
///
/// Returns  a variant with the result of the one that was done, at its index
/// Threads  agents that may block. An operation is used once, and names no agent: each waits for the caller
/// Throws   BlockingForbidden on an agent that may not block, before it tries; std::logic_error if an operation was used
///          before; std::system_error (not_enough_memory) if a table is full: nothing is done then
/// Cost     for each operation a short lock to enqueue and one to leave; allocates nothing
template <core::Selectable... Ts>
auto select(Ts... choices) -> typename core::Selection<Ts...>::Result {
    if (!detail::this_thread_can_block()) [[unlikely]]
        detail::throw_blocking_forbidden("futon::select");
    core::Selection<Ts...> selection(std::move(choices)...);
    selection.require_usable(nullptr);
    if (selection.try_now()) return selection.take_result();

    core::BlockedGroup group(detail::this_agent());
    const auto [deadline, whose] = selection.earliest();
    bool has_ended = false;
    while (!has_ended && selection.start(group)) {
        selection.watch(group, nullptr);
        const Deadline retry = selection.retry_at(core::Caller::thread);
        if (retry.time_point() < deadline.time_point()) {
            group.sleep(retry, core::SelectGroup::again);
        } else {
            group.sleep(deadline, whose);
        }
        selection.unwatch();
        has_ended = selection.proceed(group);
    }
    return selection.take_result();
}

/// The same for a coroutine: an awaitable, which gives what `select` returns, now or later, on the agent that awaits it.
///
/// Cancel   destroying the coroutine, or the end of its agent: what had been done by then is given back
/// Throws   when awaited: NoExecutor on a thread without an executor, or with a deadline on one that keeps no timers;
///          otherwise as `select`. In a coroutine that is not futon's, std::system_error (operation_canceled) if its agent
///          ends first
template <core::Selectable... Ts>
core::AwaitSelect<Ts...> select_async(Ts... choices) {
    return core::AwaitSelect<Ts...>(std::move(choices)...);
}

}  // namespace futon
