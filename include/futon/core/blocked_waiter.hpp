// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>

#include <futon/core/wait_table.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/chrono.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/stop_token.hpp>

namespace futon::core {

/// A waiter that is a blocked thread: its delivery unparks the thread. It lives on that thread's stack.
///
/// `core::block` is the driver that uses it. Derive only to say more of the waiter: its `request`, its `describe`.
///
/// Requires  it is destroyed idle, or once `dequeue` has returned true; by the thread that made it.
class FUTON_API BlockedWaiter : public Waiter {
public:
    BlockedWaiter() noexcept;
    ~BlockedWaiter() override;

    /// Enqueues it, if the check says that it must wait, as `WaitQueues::enqueue`.
    EnqueueResult enqueue(WaitQueues& table, WaitCheck check, Place place = Place::tail) noexcept {
        return table.enqueue(*this, check, place);
    }

    /// Blocks until the waiter is delivered. Each delivery is taken by one park.
    void park() noexcept;

    /// Blocks until the waiter is delivered, or until `time`: then returns false, and the waiter is still queued.
    bool park_until(std::chrono::steady_clock::time_point time) noexcept;

    /// Blocks until the waiter is delivered, the deadline has come, or a stop is requested; in the last two cases the waiter
    /// is dequeued from `table`.
    ///
    /// Returns   `ok`, `timed_out` or `cancelled`: how the waiter was dequeued. [once]
    /// Requires  it was enqueued in `table`, and its delivery has not been taken by `park`.
    WaitResult sleep(WaitQueues& table, Deadline deadline, const std::stop_token& stop) noexcept;

    /// The same without a stop.
    WaitResult sleep(WaitQueues& table, Deadline deadline) noexcept;

    WaiterDescription describe() const noexcept override { return {WaiterDescription::Kind::thread}; }

protected:
    /// Ends one park, as a delivery does. For a class whose thread is also woken up for other reasons: it overrides
    /// `deliver`, and tells apart what a park has ended for. At most one may be under way at a time, deliveries included.
    void unpark() noexcept;

private:
    void deliver() noexcept override;

    // The platform's parker: a word on one system, a mutex and a condition variable on another.
    static constexpr std::size_t parker_size = 128;
    alignas(std::max_align_t) std::byte parker_[parker_size];
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
