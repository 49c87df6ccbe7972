// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>

#include <futon/core/operation/operation_hooks.hpp>
#include <futon/core/queue/wait_table.hpp>
#include <futon/core/until.hpp>
#include <futon/detail/contract.hpp>
#include <futon/detail/export.hpp>
#include <futon/wait_result.hpp>

namespace futon::core {

/// Which enqueueing of an operation's waiter it is: the first, or again, after it was woken in vain.
enum class Enqueueing : bool { first, again };

/// How an operation ended.
enum class Ending : std::uint8_t {
    at_once,    ///< a try or the check did it: there was nothing to wait for
    woken,      ///< a wake-up ended it
    timed_out,  ///< the deadline came first
    cancelled,  ///< a stop came first, or the end of the agent
};

/// What an operation's `check` returns: a WaitCheck, or a reference to one that the operation keeps.
template <class T>
concept IsWaitCheck = std::same_as<std::remove_cvref_t<T>, WaitCheck>;

/// A request to a primitive, as a value: "lock it", "acquire two permits", "wait until this word is notified". To make
/// a primitive of your own awaitable in every way, give it an operation.
///
///     futon::block(lock.locking());                  // each driver takes any operation
///     co_await futon::await(semaphore.acquiring(2), 5ms);
///
/// An operation knows how to try, what to check under its queue's lock, what a wake-up means, and how to give back what
/// it received if no caller takes it. It does not know how its caller waits: that is the driver's part. `core::block`,
/// `core::await`, `core::promise_of` and `select` drive any operation.
///
/// A driver takes the operation by value and uses it once. A moved-from operation counts as used: its key is null.
///
/// Threads   the waiting thread, for all functions but `request`. Wakers call that while the waiter is queued and until
///           it is delivered. The function in the check runs under the queue's lock.
/// Requires  the primitive at `key` outlives the use of the operation.
///
///     Result                what it yields: a WaitResult, a guard, a value
///     name                  for errors and tools: "futon::AsyncLock::lock"
///     key()                 the address whose queue it waits in
///     try_now()             does it without waiting, if that is possible now
///     check()               decides, under the queue's lock, whether a waiter must be enqueued. A check that says no
///                           has done the operation. A WaitCheck, or a reference to one that the operation keeps. Where it
///                           notes each waiter in its word, and no waker calls `notify`, it may say `FoundBy::note`
///     woken(token)          a waker delivered this. Returns whether that did the operation; if not, the driver tries again
///     give_back(token)      the caller is gone. With `handed_off`: undoes what was done. With any other token: passes the
///                           wake-up on to the next waiter, if one should have it
///     result(ending)        turns the end into the result
///
/// The following are optional. If a member has one of these names but does not fit, it does not compile (in a final class, unless
/// it is private or overloaded):
///
///     left()                the waiter has left its queue without a wake-up: its time is over, or its caller is gone. For
///                           primitives whose first waiter holds back those behind it: they may go on now
///     request()             what the waiter asks for, for the wakers: a word, or a `Demand` that also has an amount
///     is_likely_to_wait()   a hint, which may be out of date: a try would be in vain now. The first try of a wait is left out
///                           then, for the check decides the same under the queue's lock. In a select, operations whose
///                           hints are wrong are chosen in their order
///     try_spinning()        tries for as long as spinning costs a thread less than sleeping
///     check(caller)         instead of check(): the same, told what waits
///     joins(group, index)   for an operation that cannot be undone, or not without memory. Called in a select, before each
///                           enqueueing: the check must claim the group with `claim_here(index)` before it does the
///                           operation, and do nothing if that fails. A check that says no may also have decided nothing:
///                           then `woken(WakeToken::none)` says whether the operation is done. A driver gets all that it
///                           needs before it tries
///     table()               the queues it waits in, if not the process's
///     queued()              its waiter was enqueued: called each time by the waiting agent, under no lock. A wake-up may be
///                           under way already. For releasing what may only be released once no wake-up can be missed
///     moved(expected, last) a requeue moved its waiter: as `Waiter::moved`, by a waker, under the queues' locks
///     outlasts(ending)      the deadline or a stop has ended its wait. Returns whether it goes on without either, because it
///                           must get something back
///     has_outlasted()       with `outlasts`: whether deadline and stop no longer apply to it
///     place(enqueueing)     where its waiter is enqueued: the `first` time, if not at the tail; and `again`, after it was
///                           woken in vain, if not at the head. By the word of its `request`, the smaller first:
///                           `Place::by_priority`, then `Place::by_request`, which finds the place that it had
///     wake_is_final         a constant: true if `woken` is always true, `give_back` does nothing, and `result` is static.
///                           A driver need not keep such an operation while it waits: it has none of the three above
///     polls_for_wake_up     a constant: false if a thread that waits sleeps at once. By default it may poll for its wake-up
///                           before it sleeps, see `BlockedWaiter::await_delivery`, unless it has called `try_spinning`
// clang-format off
template <class Op>
concept Operation = std::move_constructible<Op> && requires(Op& op, WakeToken token, Ending ending) {
    typename Op::Result;
    { Op::name } -> std::convertible_to<const char*>;
    { op.key() } noexcept -> std::convertible_to<const void*>;
    { op.try_now() } noexcept -> std::same_as<bool>;
    requires requires {
        { op.check() } noexcept -> IsWaitCheck;
    } || requires {
        { op.check(Caller::thread) } noexcept -> IsWaitCheck;
    };
    { op.woken(token) } noexcept -> std::same_as<bool>;
    { op.give_back(token) } noexcept;
    { op.result(ending) } -> std::same_as<typename Op::Result>;
};
// clang-format on

/// What an operation works on: a pointer that is null after a move, so that a driver sees that the operation was used.
template <class T>
class Target {
public:
    Target(T& object) noexcept : object_(&object) {}
    Target(Target&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Target& operator=(Target&&) = delete;

    /// The object; null after a move.
    T* get() const noexcept { return object_; }
    T& operator*() const noexcept { return *object_; }
    T* operator->() const noexcept { return object_; }

private:
    T* object_;
};

/// The result of an operation that yields no value: `ok` if it was done.
constexpr WaitResult to_wait_result(Ending ending) noexcept {
    switch (ending) {
        case Ending::timed_out:
            return WaitResult::timed_out;
        case Ending::cancelled:
            return WaitResult::cancelled;
        default:
            return WaitResult::ok;
    }
}

/// Whether the wait must end now because the stop or the deadline has come: returns which of the two, else nothing.
///
/// Cost  reads the clock only if the deadline is finite.
[[gnu::noinline]] FUTON_API std::optional<Ending> already_over(const Until& until) noexcept;

/// Tells a race detector that an operation is done, so that it knows the order. It may have been done by code of the
/// library, whose atomics the detector does not see.
[[gnu::noinline]] FUTON_API void note_done(const void* key) noexcept;

/// Throws std::logic_error: the operation was used before.
[[noreturn]] FUTON_API void throw_used_twice(const char* operation);

/// Throws std::system_error (not_enough_memory): a table of fixed size has no room for another waiter.
[[noreturn]] FUTON_API void throw_table_full(const char* operation);

/// Throws std::logic_error if the operation was used before.
template <Operation Op>
void require_unused(Op& op) {
    if (op.key() == nullptr) [[unlikely]]
        throw_used_twice(Op::name);
}

/// Whether a thread that waits for the operation may poll for its wake-up. See `Operation`.
template <class Op>
inline constexpr bool polls_for_wake_up = [] {
    if constexpr (requires { Op::polls_for_wake_up; }) {
        return bool(Op::polls_for_wake_up);
    } else {
        return !requires(Op & op) {
            op.try_spinning();
        };
    }
}();

/// The table whose queue the operation waits in: its own, or the process's.
template <Operation Op>
WaitQueues& table_of(Op& op) noexcept {
    if constexpr (requires { op.table(); }) {
        return op.table();
    } else {
        return table_for(op.key());
    }
}

/// The optional members of an operation, as if each operation had them: `left`, `check(caller)`, `queued`, `moved`. See
/// `Operation`.
template <Operation Op>
void left(Op& op) noexcept {
    if constexpr (requires { op.left(); }) op.left();
}

/// The operation's check, which may depend on the caller. An operation that keeps its check returns a reference.
template <Operation Op>
decltype(auto) check_of(Op& op, Caller caller) noexcept {
    static_assert(OperationHooks<Op>::fit());
    decltype(auto) check = [&]() -> decltype(auto) {
        if constexpr (requires { op.check(caller); }) {
            return op.check(caller);
        } else {
            return op.check();
        }
    }();
    detail::expects(check.address == op.key(), "an operation waits in the queue of its key: check().address == key()");
    return check;
}

/// Whether the first try may be left out: what it would find the check finds, under the queue's lock. [check]
template <Operation Op>
bool is_likely_to_wait(const Op& op) noexcept {
    static_assert(OperationHooks<Op>::fit());
    if constexpr (requires { op.is_likely_to_wait(); }) {
        return op.is_likely_to_wait();
    } else {
        return false;
    }
}

/// Calls the operation's `queued`, if it has one.
template <Operation Op>
void queued(Op& op) noexcept {
    if constexpr (requires { op.queued(); }) op.queued();
}

/// Calls the operation's `moved`, if it has one.
template <Operation Op>
void moved(Op& op, std::uint64_t expected, bool is_last) noexcept {
    if constexpr (requires { op.moved(expected, is_last); }) op.moved(expected, is_last);
}

/// Whether an operation goes on after its deadline or a stop has ended its wait.
template <Operation Op>
bool outlasts(Op& op, Ending ending) noexcept {
    if constexpr (requires { op.outlasts(ending); }) {
        return op.outlasts(ending);
    } else {
        return false;
    }
}

/// Whether deadline and stop no longer apply to an operation.
template <Operation Op>
bool has_outlasted(const Op& op) noexcept {
    if constexpr (requires { op.has_outlasted(); }) {
        return op.has_outlasted();
    } else {
        return false;
    }
}

/// Where a waiter is enqueued the first time, and where again, so that it keeps its place. [fifo]
template <Operation Op>
Place place_of(const Op& op, Enqueueing enqueueing) noexcept {
    if constexpr (requires { op.place(enqueueing); }) {
        return op.place(enqueueing);
    } else {
        return enqueueing == Enqueueing::first ? Place::tail : Place::head;
    }
}

/// What may end the wait that begins now.
template <Operation Op>
Until end_of_wait(const Op& op, const Until& until) noexcept {
    return has_outlasted(op) ? Until(Deadline::never()) : until;
}

/// What an operation asks for; one of nothing if it does not say.
template <Operation Op>
Demand request_of(const Op& op) noexcept {
    if constexpr (requires { op.request(); }) {
        return op.request();
    } else {
        return {};
    }
}

/// Whether a wake-up always means that the operation is done.
template <class Op>
inline constexpr bool wake_is_final = [] {
    if constexpr (requires { Op::wake_is_final; }) {
        return static_cast<bool>(Op::wake_is_final);
    } else {
        return false;
    }
}();

/// Whether a driver calls functions of the operation while its waiter is queued.
template <class Op>
inline constexpr bool is_asked_while_it_waits = [] {
    return requires(Op & op) {
        op.table();
    }
    || requires(Op & op) {
        op.left();
    }
    || requires(const Op& op) {
        op.request();
    };
}();

/// Whether the operation cannot be undone, or not without memory; then a check that finds nothing to wait for may have
/// done nothing.
template <class Op>
inline constexpr bool is_irrevocable = requires(Op& op, SelectGroup& group) {
    op.joins(group, std::uint32_t{0});
};

}  // namespace futon::core

#include <futon/core/operation/operation_cycle.hpp>  // try, enqueue, and the meaning of a delivery

#include <futon/detail/end.hpp>
