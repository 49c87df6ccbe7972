// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>

#include <futon/core/queue/wait_table.hpp>
#include <futon/core/until.hpp>
#include <futon/detail/chrono.hpp>
#include <futon/detail/export.hpp>

namespace futon {

class Agent;

namespace core {

/// The waiter of a blocked thread: its delivery unparks the thread. It lives on that thread's stack.
///
/// `core::block` uses it. Derive from it only to describe the waiter better: its `request`, its `describe`.
///
/// Requires  only the thread that made it destroys it, while it is idle or after `dequeue` has returned true.
class FUTON_API BlockedWaiter : public Waiter {
public:
    /// Tools show the agent; null if it is unknown.
    explicit BlockedWaiter(const Agent* agent = nullptr) noexcept;
    ~BlockedWaiter() override;

    /// Enqueues it if the check says that it must wait. As `WaitQueues::enqueue`.
    EnqueueResult enqueue(WaitQueues& table, const WaitCheck& check, Place place = Place::tail) noexcept {
        return table.enqueue(*this, check, place);
    }

    /// Blocks until the waiter is delivered. Each delivery ends one park.
    void park() noexcept;

    /// Blocks until the waiter is delivered, or until `time`: then it returns false, and the waiter is still queued.
    bool park_until(std::chrono::steady_clock::time_point time) noexcept;

    /// The same until a deadline. A thread whose last wait of this kind was short polls before it sleeps, as `futon::wait` does,
    /// unless `sleep_at_once` was called.
    bool await_delivery(Deadline deadline) noexcept;

    /// For a thread that has polled for what it waits for.
    void sleep_at_once() noexcept { polls_ = false; }

    /// Waits as `await_delivery` until the waiter is delivered, the deadline passes, or a stop is requested. In the last two cases it
    /// dequeues the waiter from `table`.
    ///
    /// Returns   `ok`, `timed_out` or `cancelled`: how the waiter was dequeued. [once]
    /// Requires  it was enqueued in `table`, and `park` has not taken its delivery.
    WaitResult sleep(WaitQueues& table, const Until& until) noexcept;

    WaiterOwner owner() const noexcept override { return {Caller::thread, agent_}; }
    WaiterDescription describe() const noexcept override { return {WaiterDescription::Kind::thread, "", agent_}; }

protected:
    /// Ends one park, as a delivery does. For a derived class whose thread also wakes up for other reasons: it
    /// overrides `deliver`, and finds out why a park ended. At most one call may be under way at a time, deliveries
    /// included.
    void unpark() noexcept;

private:
    void deliver() noexcept override;
    WaitResult sleep_until(WaitQueues& table, Deadline deadline) noexcept;

    // The platform's parker: a word on one system, a mutex and a condition variable on another.
    static constexpr std::size_t parker_size = 128;
    alignas(std::max_align_t) std::byte parker_[parker_size];
    const Agent* const agent_;
    bool polls_ = true;
};

}  // namespace core

}  // namespace futon

#include <futon/detail/end.hpp>
