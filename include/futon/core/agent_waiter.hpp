// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>
#include <optional>

#include <futon/agent.hpp>
#include <futon/core/async_waiter.hpp>
#include <futon/core/operation.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/timer.hpp>

namespace futon::core {

/// An asynchronous waiter that an agent owns: it keeps the agent's event loop running, and ends with the agent at the
/// latest. What drivers of asynchronous waits derive from.
///
/// Threads  the agent's own only, but for `finish`.
class FUTON_API AgentWaiter : public AsyncWaiter, private detail::RingLinks {
public:
    /// Throws    NoExecutor
    /// Requires  the agent is the calling thread's
    explicit AgentWaiter(Agent& agent);

    /// Enqueues it, and adds it to the agent's waits, if the check says that it must wait.
    EnqueueResult enqueue(WaitQueues& table, WaitCheck check, Place place = Place::tail) noexcept;

    /// Ends the wait without a completion. Returns false if the completion is under way.
    bool withdraw() noexcept;

    /// Lets the event loop end while this waits.
    void unref() noexcept;

    /// The agent whose wait this is.
    Agent& agent() const noexcept { return *agent_; }

    WaiterDescription describe() const noexcept override { return {WaiterDescription::Kind::task, "", agent_}; }
    Pace* pace() const noexcept override { return &agent_->pace(); }

protected:
    ~AgentWaiter() override { end(); }

    /// Adds it to the agent's waits, for a wait that is not in a queue itself: `leave` must be overridden then.
    void begin() noexcept;

    /// Where `end` found the wait.
    enum class Found : std::uint8_t {
        idle,    ///< it had ended, or never begun
        queued,  ///< it left its queue by this call
        woken,   ///< a waker had dequeued it, and its completion never ran: what was meant for it must be passed on
    };

    /// Takes the waiter back from wherever it is. Where `leave` is overridden the most derived destructor calls this.
    Found end() noexcept;

    /// The agent ends before the wait does. The waiter is in no queue any more; `was_woken` says whether a waker dequeued it
    /// whose wake-up must be passed on.
    virtual void on_teardown(bool was_woken) noexcept = 0;

private:
    friend class futon::Agent;

    void run() noexcept final;
    void discard() noexcept final;

    /// Has come to what it was given.
    void note_arrival() noexcept;

    /// Leaves the agent's waits, and is no work of its executor any more.
    void forget() noexcept;

    /// The agent is gone, and the completion still under way: it will be taken for a teardown.
    void outlive_agent() noexcept;

    Agent* agent_;
    bool is_owned_ = false;
    bool has_outlived_agent_ = false;  // and its completion is still under way
    bool is_work_ = true;
};

/// What ends an asynchronous wait besides a wake-up: a deadline and a stop token.
///
/// Threads  that of the waiter's executor.
class FUTON_API WaitLimits final : private Timer {
public:
    explicit WaitLimits(AsyncWaiter& waiter) noexcept : waiter_(waiter) {}
    ~WaitLimits() override { stop(); }

    /// Begins to watch. After the waiter was enqueued, for either may end the wait at once. [enqueue-safe]
    void start(Deadline deadline, const std::stop_token& token) noexcept;

    /// Ends watching; waits for a stop callback that is running on another thread.
    void stop() noexcept;

private:
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

/// Throws NoExecutor, naming the operation, if the executor keeps no timers.
FUTON_API void require_timers(const Executor& executor, const char* operation);

/// Throws NoExecutor if the agent has no executor, or one that keeps no timers and the deadline needs one.
inline void require_timers(const Agent& agent, Deadline deadline, const char* operation) {
    const Executor& executor = agent.require_executor_for_wait(operation);
    if (!deadline.is_never()) require_timers(executor, operation);
}

}  // namespace futon::core

#include <futon/detail/end.hpp>
