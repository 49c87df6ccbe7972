// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>
#include <optional>

#include <futon/agent.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/core/queue/async_waiter.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/timer.hpp>

namespace futon::core {

/// An asynchronous waiter that an agent owns: it keeps the agent's event loop running, and ends with the agent at the
/// latest. Drivers of asynchronous waits derive from it.
///
/// Threads  only the agent's own, except for `finish`.
class FUTON_API AgentWaiter : public AsyncWaiter, private detail::RingLinks {
public:
    /// Throws    NoExecutor
    /// Requires  the agent is the calling thread's
    explicit AgentWaiter(Agent& agent);

    /// If the check says that it must wait, enqueues it and adds it to the agent's waits.
    EnqueueResult enqueue(WaitQueues& table, const WaitCheck& check, Place place = Place::tail) noexcept;

    /// Ends the wait without a completion. Returns false if the completion is already under way.
    bool withdraw() noexcept;

    /// Lets the event loop end while this waits.
    void unref() noexcept;

    /// The agent that owns this wait.
    Agent& agent() const noexcept { return *agent_; }

    WaiterDescription describe() const noexcept override { return {WaiterDescription::Kind::task, "", agent_}; }
    Pace* pace() const noexcept override { return &agent_->pace(); }
    WaiterOwner owner() const noexcept override { return {Caller::task, agent_}; }

protected:
    ~AgentWaiter() override {
        if (is_waiting()) end();
    }

    /// Adds this to the agent's waits, for a wait that is not itself in a queue. The derived class must override
    /// `leave` then.
    void begin() noexcept;

    /// Where `end` found the wait.
    enum class Found : std::uint8_t {
        idle,    ///< the wait had ended, or never begun
        queued,  ///< this call took it out of its queue
        woken,  ///< a waker had dequeued it, and its completion never ran: the caller must pass on what the wake-up was for
    };

    /// Whether the wait has begun and not ended.
    bool is_waiting() const noexcept { return is_owned_ || has_outlived_agent_; }

    /// Takes the waiter back from wherever it is. A class that overrides `leave` calls this in its most derived
    /// destructor, if the wait has not ended.
    [[gnu::noinline]] Found end() noexcept;

    /// Called if the agent ends before the wait. The waiter is in no queue. If `was_woken`, a waker had dequeued it,
    /// and this must pass on what the wake-up was for.
    virtual void on_teardown(bool was_woken) noexcept = 0;

private:
    friend class futon::Agent;

    void run() noexcept final;
    void discard() noexcept final;

    /// Tells the agent's pace that the waiter has reached what it was given.
    void note_arrival() noexcept;

    /// Removes this from the agent's waits and from its executor's work.
    void forget() noexcept;

    /// The agent has ended while the completion is under way: treats the completion as a teardown.
    void outlive_agent() noexcept;

    Agent* agent_;
    bool is_owned_ = false;
    bool has_outlived_agent_ = false;  // while its completion is still under way
    bool is_work_ = true;
};

/// Ends an asynchronous wait other than by a wake-up: by a deadline or a stop token.
///
/// Threads  the thread of the waiter's executor.
class FUTON_API WaitLimits final : private Timer {
public:
    explicit WaitLimits(AsyncWaiter& waiter) noexcept : waiter_(waiter) {}
    [[gnu::noinline]] ~WaitLimits() override { stop(); }

    /// Starts watching. Called after the waiter was enqueued, because either limit may end the wait at once.
    /// [enqueue-safe]
    void start(const Until& until) noexcept;

    /// Stops watching; waits for a stop callback that runs on another thread.
    void stop() noexcept {
        if (is_armed_ || on_stop_) stop_watching();
    }

private:
    [[gnu::noinline]] void stop_watching() noexcept;

    struct Cancel {
        AsyncWaiter& waiter;
        void operator()() const noexcept { waiter.finish(WaitResult::cancelled); }
    };

    void fire() noexcept override {
        is_armed_ = false;
        waiter_.finish(WaitResult::timed_out);
    }

    AsyncWaiter& waiter_;
    bool is_armed_ = false;
    std::optional<std::stop_callback<Cancel>> on_stop_;
};

/// Throws NoExecutor, which names the operation, if the executor keeps no timers.
FUTON_API void require_timers(const Executor& executor, const char* operation);

/// Throws NoExecutor if the agent has no executor, or if there is a deadline, which needs a timer, and its executor keeps
/// none.
inline void require_timers(const Agent& agent, bool has_deadline, const char* operation) {
    const Executor& executor = agent.require_executor_for_wait(operation);
    if (has_deadline) require_timers(executor, operation);
}
inline void require_timers(const Agent& agent, Deadline deadline, const char* operation) {
    require_timers(agent, !deadline.is_never(), operation);
}

}  // namespace futon::core

#include <futon/detail/end.hpp>
