// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>
#include <optional>

#include <futon/core/operation/operation.hpp>
#include <futon/core/probe.hpp>
#include <futon/core/queue/wait_table.hpp>
#include <futon/wait_result.hpp>

namespace futon::core {

/// The state of an operation's cycle: it has ended in one of these ways, or its waiter is queued.
enum class Progress : std::uint8_t { at_once, woken, timed_out, cancelled, queued, no_memory };

/// The end of a cycle as its progress.
constexpr Progress to_progress(Ending ending) noexcept {
    return static_cast<Progress>(ending);
}

/// The end of a cycle that has ended.
constexpr Ending to_ending(Progress progress) noexcept {
    return static_cast<Ending>(progress);
}

// The cycle of every wait, in three steps, for any operation and any way to wait. A driver calls `begin`. While that
// says `queued`, it waits for the delivery and calls `proceed`; or `abandon`, if its caller is gone by then. `waiter`
// has `enqueue(WaitQueues&, const WaitCheck&, Place)`, as BlockedWaiter and AgentWaiter do.

/// Tries the operation.
template <Operation Op>
bool try_now(Op& op) noexcept {
    if (!op.try_now()) return false;
    note_done(op.key());
    return true;
}

/// The first try, which a hint can spare: the check decides then. A try for another reason is never spared. [over]
template <Operation Op>
bool try_first(Op& op) noexcept {
    return !is_likely_to_wait(op) && try_now(op);
}

/// Enqueues the waiter under the operation's check. [check]
template <Caller caller, Operation Op, class W>
Progress enqueue(Op& op, W& waiter, Place place) noexcept {
    while (true) {
        switch (waiter.enqueue(table_of(op), check_of(op, caller), place)) {
            case EnqueueResult::queued:
                queued(op);
                return Progress::queued;
            case EnqueueResult::not_needed:
                break;
            case EnqueueResult::no_memory:
                return Progress::no_memory;
        }
        if constexpr (is_irrevocable<Op>) {
            if (!op.woken(WakeToken::none) && !try_now(op)) continue;
        }
        note_done(op.key());
        return Progress::at_once;
    }
}

template <Caller caller, Operation Op, class W>
Progress enqueue(Op& op, W& waiter) noexcept {
    return enqueue<caller>(op, waiter, place_of(op, Enqueueing::first));
}

/// Tries for as long as spinning pays, if the operation knows how.
template <Caller caller, Operation Op>
bool try_spinning(Op& op) noexcept {
    if constexpr (caller == Caller::thread && requires { op.try_spinning(); }) {
        if (!op.try_spinning()) return false;
        note_done(op.key());
        return true;
    } else {
        return false;
    }
}

/// Does the operation without waiting, or says that its time is over. Returns nothing if a waiter must be enqueued.
template <Caller caller, Operation Op>
std::optional<Ending> attempt(Op& op, const Until& until) noexcept {
    if (try_first(op)) return Ending::at_once;
    if (const auto over = already_over(until)) {
        // A second try, so that the answer is true at a time when the stop or the deadline has come. [over]
        return try_now(op) ? Ending::at_once : over;
    }
    if (try_spinning<caller>(op)) return Ending::at_once;
    return std::nullopt;
}

/// Enqueues the waiter of an operation that was tried just now: the check tries again, under the queue's lock.
template <Caller caller, Operation Op, class W>
Progress begin_tried(Op& op, W& waiter, const Until& until) noexcept {
    if (const auto over = already_over(until)) return to_progress(try_now(op) ? Ending::at_once : *over);  // [over]
    return enqueue<caller>(op, waiter);
}

/// Tries, and enqueues the waiter.
template <Caller caller, Operation Op, class W>
Progress begin(Op& op, W& waiter, const Until& until) noexcept {
    if (const auto ended = attempt<caller>(op, until)) return to_progress(*ended);
    return enqueue<caller>(op, waiter);
}

/// A woken waiter competes for what it was woken for.
template <Caller caller, Operation Op>
bool try_again(Op& op) noexcept {
    if constexpr (caller == Caller::thread && requires { op.try_spinning(); }) {
        return try_spinning<caller>(op);
    } else {
        return try_now(op);
    }
}

/// Decides what the end of a wait with `result` means. If a wake-up does not end the operation, because another thread
/// took what it was for, the waiter is enqueued again at the head of its queue. If its time is over, the wake-up is
/// passed on instead.
template <Caller caller, Operation Op, class W>
Progress proceed(Op& op, W& waiter, WaitResult result, const Until& until) noexcept {
    if (result == WaitResult::ok) {
        if (op.woken(waiter.token()) || wake_is_final<Op>) {
            note_done(op.key());
            return Progress::woken;
        }
    } else {
        const Ending ending = result == WaitResult::timed_out ? Ending::timed_out : Ending::cancelled;
        if (!outlasts(op, ending)) {
            left(op);
            return to_progress(ending);
        }
    }
    if (try_again<caller>(op)) return Progress::woken;
    if (has_outlasted(op)) {
        probe::limits_end();
    } else {
        if (const auto over = already_over(until)) {
            if (try_now(op)) return Progress::woken;  // [over]
            if (result == WaitResult::ok) {
                op.give_back(WakeToken::none);
            } else {
                left(op);
            }
            return to_progress(*over);
        }
    }
    const Progress progress = enqueue<caller>(op, waiter, place_of(op, Enqueueing::again));
    if (progress == Progress::no_memory) op.give_back(WakeToken::none);
    return progress;
}

/// A waker dequeued the waiter, but its caller is gone.
template <Operation Op>
void abandon(Op& op, const Waiter& waiter) noexcept {
    op.give_back(waiter.token());
}

}  // namespace futon::core

#include <futon/detail/end.hpp>
