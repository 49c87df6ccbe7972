// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>

#include <futon/core/wait_check.hpp>
#include <futon/core/waiter.hpp>

namespace futon::core {

/// Wakes everybody.
inline constexpr std::size_t everyone = std::numeric_limits<std::size_t>::max();

/// Is shown who stands in line. It is called under the lock of the line, so it must neither block, nor allocate, nor call
/// a table; nobody leaves meanwhile.
class QueueVisitor {
public:
    virtual void visit(const void* address, const Waiter& waiter) noexcept = 0;

protected:
    ~QueueVisitor() = default;
};

/// The lines, one FIFO queue per address: what authors of locks and adapters build on.
///
/// A table never touches the memory behind an address except to ask a waiter's condition when it joins.
///
/// Threads  every function may be called from any thread, and neither allocates, nor makes a system call, nor runs
///          foreign code, except for the condition, while it holds a lock.
class WaitTable {
public:
    /// Puts `waiter` at the end of its word's line if `condition` holds; both are one step. [check] [fifo]
    ///
    /// Returns   whether it joined. If so, somebody else may already be delivering it.
    /// Requires  the waiter is idle, and stays where it is until it is delivered or has left.
    /// Ordering  a change of the word made before a notify is seen here, or that notify sees this waiter.
    virtual bool enqueue(Waiter& waiter, WaitCheck check) noexcept = 0;

    /// Takes `waiter` out of its line, from wherever it stands, and moves nobody else. [once]
    ///
    /// Returns  true if this call unlinked it: then its result is `result` and no delivery follows. False if it is
    ///          idle, or if somebody else was first and delivers it.
    virtual bool dequeue(Waiter& waiter, WaitResult result) noexcept = 0;

    /// Asks `condition` under the lock of its line, for an answer that needs no place in it.
    virtual bool must_wait(WaitCheck check) noexcept = 0;

    /// Unlinks and delivers up to `count` waiters, longest wait first. Returns how many.
    virtual std::size_t notify(const void* address, std::size_t count) noexcept = 0;

    /// Unlinks the first waiter and hands it to the caller, who must `deliver` it: between the two it belongs to the
    /// caller, who can read what it wants and set what it is granted.
    ///
    /// Returns  nullptr where nobody waits.
    virtual Waiter* dequeue_first(const void* address) noexcept = 0;

    /// How many wait at `address` now. For tests and tools: walks the line under its lock.
    virtual std::size_t count(const void* address) noexcept = 0;

    /// Shows who waits at `address` now, in the order of the line. For tools, as `count` is.
    virtual void visit(const void* address, QueueVisitor& visitor) noexcept = 0;

    /// Shows who waits anywhere, line after line; what changes meanwhile may be seen or not.
    virtual void visit_all(QueueVisitor& visitor) noexcept = 0;

    /// Delivers a waiter that `dequeue_first` returned, or that the caller's `leave` took out for its owner.
    static void deliver(Waiter& waiter) noexcept { WaiterAccess::deliver(waiter); }

protected:
    ~WaitTable() = default;
};

/// The table of this process. It is there before the first constructor runs and is never destroyed.
WaitTable& process_table() noexcept;

}  // namespace futon::core
