// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>

#include <futon/core/pace.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/platform.hpp>
#include <futon/detail/this_thread.hpp>
#include <futon/errors.hpp>
#include <futon/executor.hpp>

namespace futon {

namespace core {
class AgentWaiter;
}

namespace detail {

class CurrentAgent;
class LoopCore;
class PromiseStateBase;
class ScopeState;

/// Gives an exception that no promise can carry to the nearest executor of this thread: of the current agent, or of one that
/// encloses it. Ends the program where there is none.
FUTON_API void report_unhandled(std::exception_ptr exception) noexcept;
FUTON_API void report_unawaited(const char* operation) noexcept;

/// A ring of nodes, each of which can leave without knowing the head.
struct FUTON_API RingLinks {
    RingLinks* before = this;
    RingLinks* after = this;

    bool is_alone() const noexcept { return after == this; }

    void insert_before(RingLinks& place) noexcept {
        before = place.before;
        after = &place;
        before->after = this;
        place.before = this;
    }

    void unlink() noexcept {
        before->after = after;
        after->before = before;
        before = after = this;
    }
};

}  // namespace detail

/// Whether an agent may be blocked in `wait` or `lock`.
enum class CanBlock : bool { no, yes };

/// What a thread is to futon: whether it may block, and where its continuations run.
///
/// A thread that made no agent has no executor, and may block if its platform lets it. An agent is the current one of the
/// thread that made it until it is destroyed; agents of one thread nest like scopes, and end in the reverse order of their
/// making. While an event loop runs its jobs, timers and continuations, its own agent is the current one, whichever
/// agents were made since.
///
/// A thread that must not block, and runs a loop that is not futon's, declares it: `Agent ui(executor)`.
///
/// Teardown  dequeues the agent's pending waits: no later notify counts them. futon's coroutines that wait here are
///           destroyed; others are resumed, with an exception or a guard that owns nothing.
/// Threads   the one that made it, for everything.
/// Fork      in a child the thread has made no agent. One that it has inherited can be destroyed, and nothing else.
/// Spec      agents; [[CanBlock]].
class FUTON_API Agent {
public:
    /// An agent without an executor, just to forbid (or allow) blocking.
    explicit Agent(CanBlock can_block) noexcept;

    /// An agent whose continuations run on `executor`, which must run them on this thread.
    ///
    /// Requires  `executor` outlives the agent and, if it cannot retract jobs, also every notify that was under way when
    ///           the agent ended.
    explicit Agent(Executor& executor, CanBlock can_block = CanBlock::no) noexcept;

    ~Agent();
    Agent(const Agent&) = delete;
    Agent& operator=(const Agent&) = delete;

    /// The calling thread's agent.
    static Agent& current() noexcept {
        Agent* agent = detail::this_agent();
        return agent != nullptr ? *agent : of_plain_thread();
    }

    /// Whether the thread may block.
    bool can_block() const noexcept { return can_block_; }

    /// Where continuations run; nullptr where they cannot.
    Executor* executor() const noexcept { return executor_; }

    /// The executor, for what needs one: the error names it. Throws NoExecutor; also while the agent is ending.
    Executor& require_executor(const char* operation = "futon") const {
        if (executor_ == nullptr || is_ending_) [[unlikely]]
            throw_no_executor(operation);
        return *executor_;
    }

    /// The executor, for a wait that is about to begin. Throws NoExecutor; also once the agent is closed.
    Executor& require_executor_for_wait(const char* operation = "futon") const {
        if (is_closed_) [[unlikely]]
            throw_closed(operation);
        return require_executor(operation);
    }

    /// Ends the agent's waits for good, and keeps its executor: its pending waits leave their queues, a wake-up or a lock that
    /// was on its way to one of them goes to the next waiter, and a new wait throws NoExecutor. Jobs that are posted run as
    /// before, and so does what awaits a coroutine that is running.
    ///
    /// What waited ends as at the end of the agent: futon's coroutines are destroyed where they wait, together with those that
    /// await them; others are resumed. So are those whose promise has settled, if they have not gone on yet: what it settled with,
    /// an exception too, is lost with them, and a function of `then` is not called. (On an executor that cannot retract jobs
    /// these go on when their job runs.) A coroutine that is running goes on, through promises that settle, too, until it begins
    /// a wait; one that awaited it is ended by closing once more. Blocking calls, and waiters that belong to no agent
    /// (AsyncWaiter), are not concerned.
    ///
    /// Threads   the agent's own; within a job too
    /// Blocks    until a wake-up that another thread has begun is posted
    /// Throws    std::logic_error on another thread
    void close();

    /// Whether `close` was called.
    bool is_closed() const noexcept { return is_closed_; }

    /// When its loop comes to its jobs. An executor that is not futon's may tell it; futon's loops do.
    core::Pace& pace() noexcept { return pace_; }

private:
    friend class core::AgentWaiter;
    friend class detail::PromiseStateBase;
    friend class detail::LoopCore;
    friend class detail::CurrentAgent;
    friend class detail::ScopeState;
    friend void detail::report_unhandled(std::exception_ptr) noexcept;
    friend void detail::report_unawaited(const char*) noexcept;

    struct PlainThread {};
    Agent(PlainThread, CanBlock can_block) noexcept;
    template <CanBlock can_block>
    FUTON_LOCAL static Agent& plain_thread() noexcept;
    static Agent& of_plain_thread() noexcept;
    [[noreturn]] static void throw_no_executor(const char* operation);
    [[noreturn]] static void throw_closed(const char* operation);
    Agent(Executor* executor, CanBlock can_block) noexcept;

    /// Whether this process is the child of a fork that copied the agent. [fork]
    bool is_inherited() const noexcept;

    /// Dequeues every wait that is still queued, and discards what listens to promises that will not settle. What another
    /// thread is delivering stays, and arrives as a job.
    void abandon_waits() noexcept;

    /// As `abandon_waits`; then, if nothing is being delivered, discards what listens to any promise.
    void abandon_all() noexcept;

    /// Ends a coroutine whose promise has settled and which has not gone on. Returns whether there was one.
    bool end_continuation() noexcept;

    /// Takes back what another thread is delivering.
    void retract_waits() noexcept;

    /// Ends all waits, those under way too. Called again while it runs, it ends those that are left.
    void end_waits() noexcept;

    /// Discards a wait that another thread has dequeued and will not deliver. There must be one.
    void discard_undelivered() noexcept;

    Agent** slot_;      // of the thread that made it
    Agent* enclosing_;  // the current one when it was made: current again when it ends
    Agent* older_;      // the one made before it on this thread
    Agent* newer_ = nullptr;
    Executor* executor_;
    detail::RingLinks waits_;      // queued, or being delivered; in the order in which they were enqueued
    detail::RingLinks reactions_;  // to promises that are pending
    detail::RingLinks posted_;     // reactions to promises that have settled
    detail::RingLinks abandoned_;  // reactions to promises that will not settle
    std::uint32_t generation_;     // of the process that made it
    bool can_block_;
    bool is_closed_ = false;  // no new wait may begin
    bool is_ending_ = false;  // nor may anything else that runs later
    core::Pace pace_;
};

namespace detail {

/// Whether the calling thread may block: one load and a test that is never taken, for the fast paths of locks.
inline bool this_thread_can_block() noexcept {
    const Agent* agent = this_agent();
    return agent == nullptr ? plain_thread_can_block() : agent->can_block();
}

[[noreturn]] FUTON_API void throw_blocking_forbidden(const char* operation);

}  // namespace detail

}  // namespace futon

#include <futon/detail/end.hpp>
