// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>
#include <optional>

#include <futon/core/probe.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/detail/chrono.hpp>
#include <futon/detail/export.hpp>
#include <futon/wait_result.hpp>

namespace futon::core {

class Pace;

/// What a waker gives the waiter that it dequeues: one word. These two values mean the same everywhere; a primitive
/// defines the others (permits, a mode).
enum class WakeToken : std::uintptr_t {
    none = 0,        ///< a wake: try again
    handed_off = 1,  ///< a direct handoff: the waiter has what it asked for
};

/// What waits: a thread, which blocks and may spin first, or a task of an event loop, which does neither.
enum class Caller : bool { task, thread };

/// Whose a waiter is: a thread's or a task's, and which agent's; null if that is unknown.
struct WaiterOwner {
    Caller caller = Caller::task;  ///< a thread that blocks, or a task
    const void* agent = nullptr;   ///< its agent; null if that is unknown
};

/// What a waiter asks for. Its primitive defines both: `word` is a mode, an address, or the time or number by which
/// waiters are ordered; `amount` is how much of it, if `word` is an order.
struct Demand {
    constexpr Demand() noexcept = default;
    constexpr Demand(std::uint64_t what, std::uint64_t how_much = 1) noexcept : word(what), amount(how_much) {}

    std::uint64_t word = 0;    ///< what it asks for, or its place in an order
    std::uint64_t amount = 1;  ///< how much of it
};

/// What a tool shows about a waiter. See `Waiter::describe`.
struct WaiterDescription {
    /// What kind of waiter it is.
    enum class Kind : std::uint8_t { other, thread, task };

    Kind kind = Kind::other;      ///< a blocked thread, or a task: a promise, a coroutine, a job
    const char* operation = "";   ///< what it waits for: "futon::wait", "futon::AsyncLock::lock"
    const void* agent = nullptr;  ///< identifies its agent; null if unknown
    std::int64_t thread = -1;     ///< the number that its runtime gives its thread; -1 if there is none
    std::optional<std::chrono::steady_clock::time_point> since{};  ///< when it began to wait, if that is recorded
};

/// The node that a waiter brings for its place in a wait queue. It is intrusive, so that enqueueing allocates nothing.
///
/// A blocked thread and a promise differ only in their `deliver`; that is why one queue can hold both.
///
///     state     means                                             set by, under the lock of its queue
///     idle      in no queue                                       the constructor; the thread that dequeues it
///     waiting   in the queue of its address [linked]              `enqueue`, for its owner
///
/// Only the owner enqueues it, and each time it is dequeued exactly once. [once] While it waits, a `requeue` may move
/// it to another queue, under the locks of both. [requeue]
///
/// Threads   the links and the state change only under the lock of the queue. The rest of a waiter belongs to the
///           thread that dequeued it, and from the delivery on to its owner.
/// Requires  a derived class keeps what its virtual functions read until the waiter is dequeued.
/// Cost      48 bytes.
class FUTON_API Waiter {
public:
    Waiter() noexcept : Waiter(false) {}
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

    /// How the wait ended: `ok` if a waker dequeued it. Valid from the delivery on.
    WaitResult result() const noexcept { return result_; }

    /// The waker's token. Valid from the delivery until the waiter is enqueued again, if `result()` is `ok`.
    WakeToken token() const noexcept { return token_; }

    /// The address of the queue that the waiter is in, or was in last. For its owner, after the dequeueing: a requeue
    /// may have moved it.
    const void* address() const noexcept {
        return address_.load(std::memory_order_relaxed);  // the dequeueing orders it
    }

    /// What the waiter asks for. Wakers read it: in a `WakeVisitor` under the queue's lock, or between `dequeue_first`
    /// and the delivery.
    virtual Demand request() const noexcept { return {}; }

    /// Whose it is. Read like `request`.
    virtual WaiterOwner owner() const noexcept { return {}; }

    /// Describes the waiter to tools; no waker reads it. Called under the queue's lock: must not block, allocate, or call
    /// a table.
    virtual WaiterDescription describe() const noexcept { return {}; }

    /// When its loop gets to its jobs; null for a thread, or if unknown. Called like `describe`, and also between the
    /// taking of the waiter and its delivery.
    virtual Pace* pace() const noexcept { return nullptr; }

    /// Whether it is a task whose loop the calling thread is running now, as far as the loop can tell. Called like
    /// `pace`.
    virtual bool is_here() const noexcept { return false; }

protected:
    /// Tag for a member of a group, of which at most one is woken: a waker claims the group before it takes or counts
    /// the member. [claim]
    struct InGroup {};
    explicit Waiter(InGroup) noexcept : Waiter(true) {}

    virtual ~Waiter() = default;

    /// Whether the owner's `dequeue` might find it queued; for its destructor. An owner that sees its waiter idle is
    /// right, unless the waiter is a member of a group. [once] [claim]
    bool may_be_queued() const noexcept {
        return is_in_group_ || state_.load(std::memory_order_relaxed) != State::idle;  // only its owner enqueues it
    }

private:
    friend struct WaiterAccess;

    explicit Waiter(bool is_in_group) noexcept : previous_(nullptr), is_in_group_(is_in_group) {}

    /// Tells the waiter's owner that it was dequeued, by unparking a thread or posting a job.
    ///
    /// Called under no lock, once for each time that a waker, a deadline or a stop dequeues the waiter. [last-touch]
    /// The owner may destroy the waiter before this returns.
    virtual void deliver() noexcept = 0;

    /// Claims the group for this member. Called under the queue's lock, and only for members. Returns false if the
    /// group was claimed before: then the waker drops this member from the queue, without counting or delivering it.
    virtual bool claim() noexcept { return true; }

    /// A requeue is moving the waiter; its owner is not told. [requeue] Called under the locks of both queues: must not
    /// block, allocate, or call a table. `expected` comes from the requeue's check; `is_last` says that the old queue
    /// is empty now.
    virtual void moved(std::uint64_t /*expected*/, bool /*is_last*/) noexcept {}

    enum class State : std::uint8_t { idle, waiting };

    // A queue is a ring: the first waiter's `previous_` is the last waiter. From the dequeueing to the delivery,
    // `next_` chains the waiters that were dequeued together.
    Waiter* next_ = nullptr;
    union {
        Waiter* previous_;  // while queued
        WakeToken token_;   // from the dequeueing until the next enqueueing
    };
    Waiter* next_queue_ = nullptr;                  // in the first waiter of a queue: the next queue of the same bucket
    detail::Atomic<const void*> address_{nullptr};  // while queued only a requeue changes it
    detail::Atomic<State> state_{State::idle};
    WaitResult result_ = WaitResult::ok;
    bool is_first_ = false;
    const bool is_in_group_;
    std::uint16_t mark_ = 0;        // in the first waiter of a queue: the queue's mark, see WakeVisitor::mark
    std::uint16_t generation_ = 0;  // of the process that enqueued it [fork]
    [[no_unique_address]] probe::Stamp stamp_;
};

static_assert(sizeof(Waiter) == 48 || sizeof(void*) != 8 || probe::is_enabled, "there may be very many");

/// Access to a waiter's members, for tables and for code that delivers. While a waiter is idle, `next` is free for its
/// owner.
struct WaiterAccess {
    /// The states in the table of `Waiter`.
    using State = Waiter::State;

    /// The members and virtual functions of a waiter, by name.
    static Waiter*& next(Waiter& w) noexcept { return w.next_; }
    static Waiter*& previous(Waiter& w) noexcept { return w.previous_; }
    static WakeToken& token(Waiter& w) noexcept { return w.token_; }
    static Waiter*& next_queue(Waiter& w) noexcept { return w.next_queue_; }
    static detail::Atomic<const void*>& address(Waiter& w) noexcept { return w.address_; }
    static detail::Atomic<State>& state(Waiter& w) noexcept { return w.state_; }
    static WaitResult& result(Waiter& w) noexcept { return w.result_; }
    static bool& is_first(Waiter& w) noexcept { return w.is_first_; }
    static std::uint16_t& mark(Waiter& w) noexcept { return w.mark_; }
    static std::uint16_t& generation(Waiter& w) noexcept { return w.generation_; }
    static bool is_in_group(const Waiter& w) noexcept { return w.is_in_group_; }
    static probe::Stamp& stamp(Waiter& w) noexcept { return w.stamp_; }
    static const probe::Stamp& stamp(const Waiter& w) noexcept { return w.stamp_; }
    static bool claim(Waiter& w) noexcept { return w.claim(); }
    static void moved(Waiter& w, std::uint64_t expected, bool is_last) noexcept { w.moved(expected, is_last); }
    static void deliver(Waiter& w) noexcept { w.deliver(); }
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
