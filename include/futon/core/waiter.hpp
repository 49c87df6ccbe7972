// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <futon/detail/atomic.hpp>
#include <futon/wait_result.hpp>

namespace futon::core {

/// A place in a line: the intrusive node that a waiter brings along, whatever way it waits.
///
/// A blocked thread and a promise differ only in what their `deliver` does; that is why both can stand in one line.
///
/// State   idle -> waiting (join) -> idle (whoever unlinks it, exactly once).
/// Threads the links and the state change under the lock of the line's shard only. What else is in a waiter belongs to
///         whoever unlinked it, and to its owner from the delivery on.
/// Cost    48 bytes; nothing is allocated on its behalf.
class Waiter {
public:
    Waiter() noexcept = default;
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

    /// How the wait ended. Meaningful from the delivery on.
    WaitResult result() const noexcept { return result_; }

    /// Asked by a waker who could either wake this waiter as one more competitor, or grant it at once what it waits for;
    /// between the unlinking and the delivery. For authors of locks.
    virtual bool wants_grant() const noexcept { return false; }

protected:
    ~Waiter() = default;

private:
    friend struct WaiterAccess;

    /// Tells the waiter's owner that it was unlinked, by unparking a thread or posting a job.
    ///
    /// Called once for each time the waiter is unlinked by somebody else, under no lock. [last-touch]: the owner may
    /// destroy the waiter before this returns.
    virtual void deliver() noexcept = 0;

    enum class State : std::uint8_t { idle, waiting };

    // A line is a ring: the first waiter's `previous_` is the last one. From the unlinking to the delivery, `next_`
    // chains the waiters that left together.
    Waiter* next_ = nullptr;
    Waiter* previous_ = nullptr;
    Waiter* next_queue_ = nullptr;  // of the first in a line: the next line of the same bucket
    const void* address_ = nullptr;
    detail::Atomic<State> state_{State::idle};
    WaitResult result_ = WaitResult::ok;
    bool is_first_ = false;

public:
    /// Set by the waker, before the delivery: what this waiter waited for is its own already. No table clears it.
    bool is_granted = false;
};

/// The inside of a waiter, for tables and for those who deliver.
struct WaiterAccess {
    using State = Waiter::State;

    static Waiter*& next(Waiter& w) noexcept { return w.next_; }
    static Waiter*& previous(Waiter& w) noexcept { return w.previous_; }
    static Waiter*& next_queue(Waiter& w) noexcept { return w.next_queue_; }
    static const void*& address(Waiter& w) noexcept { return w.address_; }
    static detail::Atomic<State>& state(Waiter& w) noexcept { return w.state_; }
    static WaitResult& result(Waiter& w) noexcept { return w.result_; }
    static bool& is_first(Waiter& w) noexcept { return w.is_first_; }
    static void deliver(Waiter& w) noexcept { w.deliver(); }
};

}  // namespace futon::core
