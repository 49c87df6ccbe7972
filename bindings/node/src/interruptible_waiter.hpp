// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>

#include <futon/core/queue/blocked_waiter.hpp>

namespace futon::node {

/// A waiter whose thread can be woken up without being dequeued: it keeps its place.
///
/// A delivery and an interrupt share the one token of the parker: the first of them unparks the thread, which takes both.
///
/// Requires  `drain` is called after the last interrupt, before the waiter is parked by others or destroyed.
class InterruptibleWaiter : public core::BlockedWaiter {
public:
    /// Blocks until the delivery, an interrupt, or `time`. Returns whether it was delivered.
    bool wait_until(std::chrono::steady_clock::time_point time) noexcept { return park_until(time) && take_events(); }

    /// Blocks until the delivery, or an interrupt. Returns whether it was delivered.
    bool wait() noexcept {
        park();
        return take_events();
    }

    /// Blocks until the delivery.
    void wait_for_delivery() noexcept {
        while (!wait())
            ;
    }

    /// Takes what an interrupt has left. Returns whether the waiter was delivered with it.
    bool drain() noexcept {
        if ((events_.load() & interrupted) == 0) return false;
        park();
        return take_events();
    }

    /// After a delivery: lets the next park end at once, for a caller that waits for the delivery.
    void deliver_again() noexcept { deliver(); }

    /// Any thread.
    void interrupt() noexcept {
        if (events_.fetch_or(interrupted) == 0) unpark();
    }

private:
    static constexpr unsigned delivered = 1;
    static constexpr unsigned interrupted = 2;

    /// [last-touch] If the thread is being interrupted, that unparks it; the thread ends no wait before the interrupt is over.
    void deliver() noexcept final {
        if (events_.fetch_or(delivered) == 0) unpark();
    }

    bool take_events() noexcept { return (events_.exchange(0) & delivered) != 0; }

    std::atomic<unsigned> events_{0};
};

}  // namespace futon::node
