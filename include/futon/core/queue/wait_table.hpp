// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

#include <futon/core/queue/wait_check.hpp>
#include <futon/core/queue/waiter.hpp>
#include <futon/detail/export.hpp>

namespace futon::core {

/// Wakes all waiters.
inline constexpr std::size_t everyone = std::numeric_limits<std::size_t>::max();

/// The result of an attempt to enqueue a waiter.
enum class EnqueueResult : std::uint8_t {
    queued,      ///< the waiter is in the queue; another thread may be delivering it already
    not_needed,  ///< the check found nothing to wait for
    no_memory,   ///< a table of fixed size is full. The table of the process never returns this
};

/// Where in its queue a waiter is enqueued.
enum class Place : std::uint8_t {
    tail,         ///< behind all others
    head,         ///< before all others: for a waiter that was woken in vain, and keeps its place
    by_request,   ///< at the head, but behind the waiters there with a smaller `request`: a time, or a number
    by_priority,  ///< behind all with a `request` that is not greater. Searched from both ends, at most 1024 waiters
};

/// Wait queues, one FIFO queue for each address: the contract of a table in any kind of memory.
/// <futon/conformance/wait_table.hpp> tests whether a table keeps it.
///
/// Threads  any, for every function. No function allocates, makes a system call or runs foreign code while it holds a
///          lock, except for the check and for a waiter's functions that say so. [no-lock]
class FUTON_API WaitQueues {
public:
    /// Enqueues `waiter` in the queue of `check.address`, if `check` says that it must wait. Both are one step. [check]
    /// [fifo]
    ///
    /// Requires  the waiter is idle, and stays in place until it is delivered or `dequeue` has returned true; a member
    ///           of a group, until its group is delivered for it or `dequeue` has returned. [claim]
    /// Ordering  the check sees a change of the word made before a notify, or that notify sees this waiter; unless wakers
    ///           find it by a note. [announce] [noted]
    /// Lifetime  `check` may be gone once the waiter can be delivered, so the table does not use it after that
    virtual EnqueueResult enqueue(Waiter& waiter, const WaitCheck& check, Place place) noexcept = 0;
    EnqueueResult enqueue(Waiter& waiter, const WaitCheck& check) noexcept {
        return enqueue(waiter, check, Place::tail);
    }

    /// Takes `waiter` out of its queue, from any position; no other waiter moves. [once]
    ///
    /// Returns  true if this call dequeued it: its result is `result`, and no delivery follows. False if it is idle: it
    ///          was not queued, another thread dequeued it first and delivers it, or a waker dropped it. [claim]
    virtual bool dequeue(Waiter& waiter, WaitResult result) noexcept = 0;

    /// Whether `waiter` is queued, asked under its queue's lock. Only its owner calls this.
    virtual bool is_queued(Waiter& waiter) noexcept = 0;

    /// Calls `check` under the lock of its queue, without a waiter.
    virtual bool must_wait(const WaitCheck& check) noexcept = 0;

    /// Dequeues up to `count` waiters from the head, with `WakeToken::none`, and delivers them. Returns how many.
    /// [fifo] [claim]
    ///
    /// Cost  if no waiter is queued, a fence and two loads; else the queue's lock, once for every 1024 waiters, plus
    ///       work proportional to the number dequeued.
    virtual std::size_t notify(const void* address, std::size_t count) noexcept = 0;

protected:
    ~WaitQueues() = default;
};

/// Decides which waiters of a queue a `wake_while` wakes. Its functions run under the queue's lock: they must not
/// block, allocate, or call a table.
class FUTON_API WakeVisitor {
public:
    /// What to do with the waiter that is shown.
    enum class Decision : std::uint8_t {
        take,  ///< wake this waiter
        skip,  ///< leave it in its place, and go on to the next
        stop,  ///< leave it, and end here
    };

    /// Decides what to do with a waiter, by what it asks for (`Waiter::request`) or what it is (`Waiter::describe`).
    /// Must not change anything: a waiter to take may turn out to belong to a decided group, and is dropped then.
    virtual Decision decide(const Waiter& waiter) noexcept = 0;

    /// The waiter is being taken. Returns the token to deliver it with.
    virtual WakeToken take(const Waiter& waiter) noexcept = 0;

    /// The last call, when the queue is as it will be. A primitive that notes the queue's state in its own word updates
    /// the word here, under the lock that `enqueue` takes too.
    virtual void finish(bool /*queue_is_empty*/) noexcept {}

    /// Called when many waiters are being taken: once 128 were taken or dropped, before `take` of the last of them, if
    /// others are queued; after a false, again for each further waiter. Returns whether the table may release the
    /// queue's lock briefly, so that other threads need not wait until all are woken. In the pause the table delivers no
    /// waiter. Then it takes the lock again, and continues from the head of the queue as it is then; the visitor must
    /// read its word and the time anew. [parts]
    virtual bool may_pause() noexcept { return false; }

    /// Called at the first pause. Returns whether to show waiters that are enqueued after it as well. If not, the table
    /// stops after the waiter that is the last in the queue now or, if that one leaves, after the one before it. A
    /// later waiter that is enqueued ahead of that one is still shown. [parts]
    virtual bool takes_latecomers() noexcept { return true; }

    /// A value that the queue keeps for its primitive, for instance for a thread that attends to it. The table loads it
    /// from the queue before the first `decide` of each part, and stores it back after that part. In a new queue it is
    /// zero.
    std::uint16_t mark = 0;

protected:
    ~WakeVisitor() = default;
};

/// A visitor that a table shows the waiters of its queues. Its function runs under a queue's lock, so it must not
/// block, allocate, or call a table. No waiter is dequeued meanwhile.
class FUTON_API QueueVisitor {
public:
    /// Called with each waiter, and the address whose queue it is in.
    virtual void visit(const void* address, const Waiter& waiter) noexcept = 0;

protected:
    ~QueueVisitor() = default;
};

/// The wait queues of a process: what primitives, adapters and tools are built on. A program can construct further ones
/// as `PrivateTable`.
///
/// A table never accesses the memory at an address, except through a check.
class FUTON_API WaitTable : public WaitQueues {
public:
    /// The default for how many waiters a `wake_while` skips before it ends. It bounds the work under the lock, with
    /// the number of waiters taken.
    static constexpr std::size_t max_skipped = 64;

    /// Shows the waiters at `address` to `visitor`, from the head on, and wakes those that it takes, each with the
    /// token that it returns. Members of decided groups are dropped, and count as neither. [visit] [claim]
    ///
    /// Returns  how many were woken.
    /// Cost     one lock, even if no waiter is queued; one for every 128 taken, if the visitor may pause
    virtual std::size_t wake_while(const void* address, WakeVisitor& visitor, std::size_t max_skips) noexcept = 0;
    std::size_t wake_while(const void* address, WakeVisitor& visitor) noexcept {
        return wake_while(address, visitor, max_skipped);
    }

    /// Moves up to `count` waiters from the head of the queue at `from` to the tail of the queue at `to.address`
    /// without waking them, if `to` says that they must wait. The check and the move are one step under the locks of
    /// both queues. Under these locks each waiter is told (`Waiter::moved`). Members of groups are moved unclaimed.
    /// [requeue] [check]
    ///
    /// If there are more than 128, they are moved in parts, each in such a step, up to the waiter that was last when
    /// the first part was moved. The move ends at the first part that the check refuses. [parts]
    ///
    /// Returns   how many were moved. None if `from` is `to.address`.
    /// Requires  the waiters' owners know that the other queue's wakers may wake them. The check does nothing that a
    ///           caller must undo. If it took a free lock, it would take it for no waiter, and the caller could not
    ///           tell that from an empty queue, for which the check is not called.
    virtual std::size_t requeue(const void* from, const WaitCheck& to, std::size_t count) noexcept = 0;

    /// Dequeues the first waiter and gives it to the caller, which must `deliver` it. In between it belongs to the
    /// caller, which can read its request and decide on its token.
    ///
    /// Returns  nullptr if no waiter is queued, or only members of decided groups, which are dropped. [claim]
    virtual Waiter* dequeue_first(const void* address) noexcept = 0;

    /// The same as `notify`, for a caller that has just changed the word by a sequentially consistent operation: the
    /// change is the barrier that `notify` would add. `exchange_and_notify` and its kin are built on it. [announce]
    ///
    /// Requires  the change is one of a `Word`, or of an atomic with the default order
    virtual std::size_t notify_changed(const void* address, std::size_t count) noexcept {
        return notify(address, count);
    }

    /// How many waiters are queued at `address` now. For tests and tools: it walks the queue under its lock.
    virtual std::size_t count(const void* address) noexcept = 0;

    /// Shows the waiters at `address`, in queue order. For tools, like `count`.
    virtual void visit(const void* address, QueueVisitor& visitor) noexcept = 0;

    /// Shows all waiters, queue after queue. If a queue changes meanwhile, it shows the old or the new state.
    virtual void visit_all(QueueVisitor& visitor) noexcept = 0;

    /// Delivers a waiter that `dequeue_first` returned, or that the caller's `dequeue` took out for the waiter's owner.
    static void deliver(Waiter& waiter, WakeToken token = WakeToken::none) noexcept {
        WaiterAccess::token(waiter) = token;
        WaiterAccess::deliver(waiter);
    }

protected:
    ~WaitTable() = default;
};

/// The table of this process. It exists before the first constructor runs, and is never destroyed.
FUTON_API WaitTable& process_table() noexcept;

/// The table that holds the queue of an address. The single place to choose another table, for addresses in memory that
/// processes share. There is one today, so the choice costs nothing.
inline WaitTable& table_for(const void* /*address*/) noexcept {
    return process_table();
}

}  // namespace futon::core

#include <futon/detail/end.hpp>
