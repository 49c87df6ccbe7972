// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <stop_token>

#include <futon/agent.hpp>
#include <futon/core/async_waiter.hpp>
#include <futon/deadline.hpp>
#include <futon/timer.hpp>

namespace futon::detail {

/// An asynchronous wait that an agent owns: it keeps the agent's event loop running, and ends with the agent at the
/// latest.
///
/// Threads  the agent's own only, but for `finish`.
class AgentWait : public core::AsyncWaiter, private RingLinks {
public:
    /// Throws    NoExecutor
    /// Requires  the agent is the calling thread's
    explicit AgentWait(Agent& agent);

    /// Joins the line, and the agent's waits. Returns whether the condition held.
    bool enqueue(core::WaitCheck check) noexcept;

    /// Leaves the line without a completion. Returns false if the completion is already on its way.
    bool withdraw() noexcept;

    /// Lets the event loop end while this waits.
    void unref() noexcept;

protected:
    ~AgentWait() { end(); }

    /// Takes the waiter back from wherever it is. Returns whether a notify had taken it out of the line and its
    /// completion never ran: a wake that was meant for one of many must be passed on.
    bool end() noexcept;

    /// The agent ends before the wait does; `was_woken` is as above.
    virtual void on_teardown(bool was_woken) noexcept = 0;

private:
    friend class futon::Agent;

    void run() noexcept final;
    void discard() noexcept final;

    /// Leaves the agent's waits, and is no work of its executor any more.
    void forget() noexcept;

    /// The agent is gone, and the completion still on its way: it will be taken for a teardown.
    void outlive_agent() noexcept;

    Agent* agent_;
    bool is_owned_ = false;
    bool has_outlived_agent_ = false;  // and its completion is still on its way
    bool is_work_ = true;
};

/// What may end an asynchronous wait besides a notify: a deadline and a stop token.
class WaitLimits final : private Timer {
public:
    explicit WaitLimits(core::AsyncWaiter& waiter) noexcept : waiter_(waiter) {}
    ~WaitLimits() { stop(); }

    /// Begins to watch. After the waiter has joined, for either may end the wait at once.
    void start(Deadline deadline, const std::stop_token& token) noexcept;

    /// Ends watching; waits for a stop callback that is running on another thread.
    void stop() noexcept;

private:
    struct Cancel {
        core::AsyncWaiter& waiter;
        void operator()() const noexcept { waiter.finish(WaitResult::cancelled); }
    };

    void fire() noexcept override {
        is_armed_ = false;
        waiter_.finish(WaitResult::timed_out);
    }

    core::AsyncWaiter& waiter_;
    bool is_armed_ = false;
    std::optional<std::stop_callback<Cancel>> on_stop_;
};

/// What a wait that may not stand in line any more is told; nothing if it may.
///
/// Cost  asks the clock only if the deadline is finite.
std::optional<WaitResult> already_over(Deadline deadline, const std::stop_token& token) noexcept;

}  // namespace futon::detail
