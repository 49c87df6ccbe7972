// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

#include <futon/core/wait_check.hpp>
#include <futon/core/waiter.hpp>
#include <futon/detail/export.hpp>

namespace futon::core {

/// Wakes all waiters.
inline constexpr std::size_t everyone = std::numeric_limits<std::size_t>::max();

/// What became of an attempt to enqueue a waiter.
enum class EnqueueResult : std::uint8_t {
    queued,      ///< the waiter is in the queue; another thread may be delivering it already
    not_needed,  ///< the check said that there is nothing to wait for
    no_memory,   ///< a table of fixed size is full. The table of the process never answers this
};

/// Where in its queue a waiter is enqueued.
enum class Place : std::uint8_t {
    tail,        ///< behind all others
    head,        ///< before all others: for one that was woken in vain, and keeps its place
    by_request,  ///< the same, but behind those at the head whose `request` is less: a time, or a number
    by_priority,  ///< behind those whose `request` is not greater. Looked for from both ends of the queue, 1024 waiters at most
};

/// Wait queues, one FIFO queue for each address: the contract that a table of any memory can implement. Whether one keeps it
/// is told by <futon/conformance/wait_table.hpp>.
///
/// Threads  any, for every function. None allocates, makes a system call or runs foreign code while it holds a lock,
///          except for the check and for the functions of a waiter that say so. [no-lock]
class FUTON_API WaitQueues {
public:
    /// Enqueues `waiter` in the queue of `check.address` if `check` says that it must wait; both are one step. [check] [fifo]
    ///
    /// Requires  the waiter is idle, and stays in place until it is delivered or `dequeue` has returned true; a member of a
    ///           group, until `dequeue` has returned. [claim]
    /// Ordering  a change of the word made before a notify is seen by the check, or that notify sees this waiter. [announce]
    virtual EnqueueResult enqueue(Waiter& waiter, WaitCheck check, Place place) noexcept = 0;
    EnqueueResult enqueue(Waiter& waiter, WaitCheck check) noexcept { return enqueue(waiter, check, Place::tail); }

    /// Takes `waiter` out of its queue, from wherever it is; no other waiter moves. [once]
    ///
    /// Returns  true if this call dequeued it: then its result is `result` and no delivery follows. False if it is idle: it
    ///          was not queued, another thread dequeued it first and delivers it, or a waker dropped it. [claim]
    virtual bool dequeue(Waiter& waiter, WaitResult result) noexcept = 0;

    /// Whether `waiter` is queued, asked under its queue's lock. For the waiter's owner.
    virtual bool is_queued(Waiter& waiter) noexcept = 0;

    /// Asks `check` under the lock of its queue, without a waiter.
    virtual bool must_wait(const WaitCheck& check) noexcept = 0;

    /// Dequeues up to `count` waiters from the head, with `WakeToken::none`, and delivers them. Returns how many.
    /// [fifo] [claim]
    ///
    /// Cost  where no waiter is queued, a fence and two loads; else the queue's lock, once for every 1024 waiters, and work in
    ///       proportion to those dequeued.
    virtual std::size_t notify(const void* address, std::size_t count) noexcept = 0;

protected:
    ~WaitQueues() = default;
};

/// Decides which waiters of a queue a `wake_while` wakes. Its functions run under the queue's lock: they must not block,
/// allocate, or call a table.
class FUTON_API WakeVisitor {
public:
    /// What becomes of a waiter that is looked at.
    enum class Decision : std::uint8_t {
        take,  ///< wake this waiter
        skip,  ///< leave it in its place, and go on to the next
        stop,  ///< leave it, and end here
    };

    /// Says what to do with a waiter, by what it asks for (`Waiter::request`) or is (`Waiter::describe`). Changes nothing: a
    /// waiter that is to be taken may prove to belong to a group that is over, and is dropped then.
    virtual Decision decide(const Waiter& waiter) noexcept = 0;

    /// The waiter is being taken. Returns the token that it is delivered with.
    virtual WakeToken take(const Waiter& waiter) noexcept = 0;

    /// The last call, with the queue as it will be. What a primitive notes about its queue in a word of its own is set
    /// here, under the lock that `enqueue` takes too.
    virtual void finish(bool /*queue_is_empty*/) noexcept {}

    /// Very many are being taken: called when 128 were taken or dropped, before `take` of the last of them, if others are queued; and
    /// after a no for each that follows. Returns whether the table may let the queue's lock go then: it delivers none, takes the
    /// lock again, and goes on from the head of the queue as that is then, so that other threads do not wait for all. What the
    /// visitor knows of its word, and of the time, must be read anew after that. [parts]
    virtual bool may_pause() noexcept { return false; }

    /// Called at the first pause. Returns whether those are taken, too, that are enqueued from then on; else the last that is
    /// looked at is the one that is the last in the queue now, or, if that leaves, the one before it; one that is enqueued at a place
    /// before that is looked at. [parts]
    virtual bool takes_latecomers() noexcept { return true; }

    /// A value that the queue keeps for its primitive, for instance for a thread that looks after it. The table reads it from the
    /// queue before the first `decide` of each part, and stores in the queue what it is after that part. Of a new queue it is zero.
    std::uint16_t mark = 0;

protected:
    ~WakeVisitor() = default;
};

/// Is shown the waiters of queues. It is called under a queue's lock, so it must not block, allocate, or call a table; no
/// waiter is dequeued meanwhile.
class FUTON_API QueueVisitor {
public:
    /// Is shown a waiter, and the address whose queue it is in.
    virtual void visit(const void* address, const Waiter& waiter) noexcept = 0;

protected:
    ~QueueVisitor() = default;
};

/// The wait queues of a process: what primitives, adapters and tools are built on. A program constructs others as
/// `PrivateTable`.
///
/// A table never touches the memory behind an address, except through a check.
class FUTON_API WaitTable : public WaitQueues {
public:
    /// How many waiters a `wake_while` skips at most before it ends, unless told otherwise: the work under the lock is
    /// bounded by that, and by the number of those it takes.
    static constexpr std::size_t max_skipped = 64;

    /// Shows the waiters at `address` to `visitor`, from the head on, and wakes those that it takes, with the token that it
    /// gives each. Members of groups that are over are dropped, and count for neither. [visit] [claim]
    ///
    /// Returns  how many were woken.
    /// Cost     one lock, also where no waiter is queued; one for every 128 that are taken, if the visitor may pause
    virtual std::size_t wake_while(const void* address, WakeVisitor& visitor, std::size_t max_skips) noexcept = 0;
    std::size_t wake_while(const void* address, WakeVisitor& visitor) noexcept {
        return wake_while(address, visitor, max_skipped);
    }

    /// Moves up to `count` waiters from the head of the queue at `from` to the tail of the queue at `to.address`, without
    /// waking them, if `to` says that they must wait. The check and the move are one step under the locks of both queues.
    /// Each is told under these locks (`Waiter::moved`). Members of groups are moved unclaimed. [requeue] [check]
    ///
    /// More than 128 are moved in parts, each by such a step, up to the waiter that was the last when the first part was moved.
    /// The check that refuses a part ends the move. [parts]
    ///
    /// Returns   how many were moved. None if `from` is `to.address`.
    /// Requires  the owners of these waiters know that they may be woken by the other queue's wakers. The check does nothing
    ///           that a caller would have to undo: one that takes a free lock takes it for no waiter, and the caller cannot
    ///           tell that from an empty queue, for which the check is not asked.
    virtual std::size_t requeue(const void* from, WaitCheck to, std::size_t count) noexcept = 0;

    /// Dequeues the first waiter and gives it to the caller, who must `deliver` it: in between it belongs to the caller,
    /// who can read its request and decide on its token.
    ///
    /// Returns  nullptr where no waiter is queued, or only members of groups that are over: those are dropped. [claim]
    virtual Waiter* dequeue_first(const void* address) noexcept = 0;

    /// How many waiters are queued at `address` now. For tests and tools: walks the queue under its lock.
    virtual std::size_t count(const void* address) noexcept = 0;

    /// Shows the waiters at `address`, in the order of the queue. For tools, as `count` is.
    virtual void visit(const void* address, QueueVisitor& visitor) noexcept = 0;

    /// Shows all waiters, queue after queue; of what changes meanwhile, it shows either.
    virtual void visit_all(QueueVisitor& visitor) noexcept = 0;

    /// Delivers a waiter that `dequeue_first` returned, or that the caller's `dequeue` took out for its owner.
    static void deliver(Waiter& waiter, WakeToken token = WakeToken::none) noexcept {
        WaiterAccess::token(waiter) = token;
        WaiterAccess::deliver(waiter);
    }

protected:
    ~WaitTable() = default;
};

/// The table of this process. It exists before the first constructor runs and is never destroyed.
FUTON_API WaitTable& process_table() noexcept;

/// The table that holds the queue of an address. The one place to choose another, for addresses in memory that processes
/// share; there is one today, and the choice costs nothing.
inline WaitTable& table_for(const void* /*address*/) noexcept {
    return process_table();
}

}  // namespace futon::core

#include <futon/detail/end.hpp>
