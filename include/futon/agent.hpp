// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>

#include <futon/core/operation/pace.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/loop/reports.hpp>
#include <futon/detail/loop/ring_links.hpp>
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
class ReusedMemory;
class ScopeState;

}  // namespace detail

/// Whether an agent may block in `wait` or `lock`: `no` for a thread of a user interface, or of a server's connections.
enum class CanBlock : bool { no, yes };

/// What a thread is to futon: whether it may block, and where its continuations run. `EventLoop` makes one; make your
/// own for a thread that runs another loop, or one that must not block by mistake.
///
///     MyLoopExecutor executor(loop);
///     futon::Agent ui(executor);                     // on the thread of the loop, for as long as it runs
///     futon::Agent audio(futon::CanBlock::no);       // on an audio thread: blocking functions throw there
///
/// A thread without an agent has no executor, and may block if its platform allows it. From its construction to its
/// destruction an agent is the current one of its thread. Agents of one thread nest like scopes, and end in the reverse
/// order of their construction. While an event loop runs its jobs, timers and continuations, its own agent is the
/// current one, even if other agents were made since.
///
/// Teardown  dequeues the agent's pending waits: no later notify counts them. futon's coroutines that wait here are
///           destroyed. Other coroutines are resumed, with an exception or a guard that owns nothing.
/// Threads   only the thread that made it, for every function.
/// Fork      in a child process the thread has no agent. An inherited agent can only be destroyed.
/// Spec      agents; [[CanBlock]].
class FUTON_API Agent {
public:
    /// An agent without an executor, to forbid (or allow) blocking and nothing else.
    explicit Agent(CanBlock can_block) noexcept;

    /// An agent whose continuations run on `executor`, which must run them on this thread.
    ///
    /// Requires  `executor` outlives the agent. If it cannot retract jobs, it also outlives every notify that was under
    ///           way when the agent ended.
    explicit Agent(Executor& executor, CanBlock can_block = CanBlock::no) noexcept;

    ~Agent();
    Agent(const Agent&) = delete;
    Agent& operator=(const Agent&) = delete;

    /// Returns the calling thread's agent.
    static Agent& current() noexcept {
        Agent* agent = detail::this_agent();
        return agent != nullptr ? *agent : of_plain_thread();
    }

    /// Whether the thread may block.
    bool can_block() const noexcept { return can_block_; }

    /// The executor that runs continuations; nullptr if there is none.
    Executor* executor() const noexcept { return executor_; }

    /// Returns the executor. Throws NoExecutor, which names the operation, if there is none or the agent is ending.
    Executor& require_executor(const char* operation = "futon") const {
        if (executor_ == nullptr || is_ending_) [[unlikely]]
            throw_no_executor(operation);
        return *executor_;
    }

    /// Returns the executor for a wait that is about to begin. Throws NoExecutor also if the agent is closed.
    Executor& require_executor_for_wait(const char* operation = "futon") const {
        if (is_closed_) [[unlikely]]
            throw_closed(operation);
        return require_executor(operation);
    }

    /// Ends the agent's waits for good, and keeps its executor. Pending waits leave their queues. If a wake-up or a
    /// lock was on its way to one of them, it goes to the next waiter. A new wait throws NoExecutor. Posted jobs still
    /// run, and so do the awaiters of a running coroutine.
    ///
    /// Waiting coroutines end as at the end of the agent: futon's own are destroyed, with the coroutines that await
    /// them; others are resumed. The same holds for a coroutine whose promise has settled but which has not resumed
    /// yet: the value or the exception is lost, and a function of `then` is not called. (If the executor cannot retract
    /// jobs, these continue when their job runs.) A running coroutine continues, even through settled promises, until
    /// it begins a wait; calling `close` again ends its awaiter. Blocking calls are unaffected, and so are waiters that
    /// belong to no agent (AsyncWaiter).
    ///
    /// Threads  the agent's own; also within a job
    /// Blocks   until each wake-up that another thread has begun is posted
    /// Throws   std::logic_error on another thread
    void close();

    /// Whether `close` was called.
    bool is_closed() const noexcept { return is_closed_; }

    /// When the agent's loop gets to its jobs. futon's loops report it; another executor may.
    core::Pace& pace() noexcept { return pace_; }

private:
    friend class core::AgentWaiter;
    friend class detail::PromiseStateBase;
    friend class detail::LoopCore;
    friend class detail::CurrentAgent;
    friend class detail::ReusedMemory;
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

    /// Dequeues every wait that is still queued, and discards the reactions to promises that will not settle. A
    /// delivery that another thread has begun stays, and arrives as a job.
    void abandon_waits() noexcept;

    /// As `abandon_waits`; then, if no delivery is under way, discards the reactions to all promises.
    void abandon_all() noexcept;

    /// Ends one coroutine whose promise has settled and which has not resumed. Returns whether there was one.
    bool end_continuation() noexcept;

    /// Retracts the deliveries of other threads.
    void retract_waits() noexcept;

    /// Ends all waits, including those being delivered. If called again while it runs, ends the remaining ones.
    void end_waits() noexcept;

    /// Discards a wait that another thread has dequeued and will not deliver. Requires that there is one.
    void discard_undelivered() noexcept;

    Agent** slot_;      // the current agent of the thread that made this one
    Agent* enclosing_;  // the current agent when this one was made; current again when this one ends
    Agent* older_;      // the one made before it on this thread
    Agent* newer_ = nullptr;
    Executor* executor_;
    detail::ReusedMemory* memory_ = nullptr;  // what its event loop keeps for what its coroutines allocate
    detail::RingLinks waits_;                 // queued or being delivered, in the order of enqueueing
    detail::RingLinks reactions_;             // reactions to pending promises
    detail::RingLinks posted_;                // reactions to settled promises
    detail::RingLinks abandoned_;             // reactions to promises that will not settle
    std::uint32_t generation_;                // of the process that made the agent
    bool can_block_;
    bool is_closed_ = false;  // no new wait may begin
    bool is_ending_ = false;  // nothing else may begin that runs later
    core::Pace pace_;
};

}  // namespace futon

#include <futon/detail/loop/can_block.hpp>  // asked by the fast paths of locks

#include <futon/detail/end.hpp>
