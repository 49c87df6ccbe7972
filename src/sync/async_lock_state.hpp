// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include <futon/deadline.hpp>
#include <futon/detail/export.hpp>
#include <futon/sync/async_lock.hpp>

#include "platform/clock.hpp"

namespace futon {

/// Why a lock is passed to waiters.
enum class AsyncLock::Purpose : std::uint8_t {
    unlock,  ///< the caller owns the lock
    fair,    ///< the same, and it is handed off, whatever the time
    deputy,  ///< the caller owns the lock for the first in the queue, is queued itself, and will watch an offer [fifo]
    watch,   ///< the lock stays what it is: where no owner will pass it on, waiters are woken in the caller's place
};

/// The word of a lock: what it says, and what it becomes.
struct FUTON_LOCAL AsyncLock::State {
    using Word = std::uint32_t;

    static constexpr Word flags = (Word{1} << time_shift) - 1;
    static constexpr Word releases = 3 * release;
    static constexpr int unit = 14;  // of the time, as a power of two nanoseconds
    // Both ends of an age are rounded down, so that it is up to one unit off: not after the threshold a handoff is due, not
    // before the threshold an offer expires.
    static constexpr auto handoff_age = static_cast<Word>(std::chrono::nanoseconds(handoff_threshold).count() >> unit);
    static constexpr Word expired_age = handoff_age + 2;

    static std::uint64_t now_in_nanoseconds() noexcept {
        return static_cast<std::uint64_t>(platform::shared_now().count());
    }
    static Word time(std::uint64_t nanoseconds) noexcept {
        return static_cast<Word>(nanoseconds >> unit) << time_shift;
    }
    static Word now() noexcept { return time(now_in_nanoseconds()); }
    static Word at(Word word, Word time) noexcept { return (word & flags) | (time & ~flags); }
    static Word age(Word word) noexcept { return (now() - (word & ~flags)) >> time_shift; }
    static bool is_handoff_due(Word word) noexcept { return age(word) >= handoff_age; }
    static bool is_expired(Word word) noexcept { return age(word) >= expired_age; }

    /// When the offer that the word says expires.
    static Deadline expiry(Word word) noexcept {
        const Word spent = std::min(age(word), expired_age);
        return Deadline(std::chrono::nanoseconds(std::int64_t{expired_age - spent} << unit));
    }

    /// Whether a caller with these duties may take the lock. A strict one that was released is its woken thread's. [fifo]
    static bool can_take(Word word, Word duties) noexcept {
        if ((word & held) != 0) return false;
        if ((word & offered) != 0) return is_expired(word);  // [offer]
        return (word & strict) == 0 || (word & woken) == 0 || (duties & woken) != 0;
    }

    /// [fifo] Whether a caller that may take the lock has been woken to watch an offer, and finds a strict lock that was
    /// released, and a queue. Of those in it some may be before the caller: so it must be queued at its place, and pass the
    /// lock on to the first from there.
    static bool is_for_first(Word word, Word duties) noexcept {
        return (duties & woken) != 0 && (word & (held | strict | has_waiters | offered)) == (strict | has_waiters);
    }

    static Word taken(Word word, Word duties) noexcept {
        const Word next = (word | held) & ~(offered | duties);
        return without_idle_time((word & offered) != 0 ? at(next, now()) : next);
    }
    static Word released(Word word) noexcept {
        const bool is_counted = (word & (has_waiters | woken)) == (has_waiters | woken);
        const Word next = is_counted ? (word & ~releases) | ((word + release) & releases) : word;
        return without_idle_time(next & ~held);
    }
    static Word queued(Word word, Word duties, Word kind, Word since) noexcept {
        const Word next = (word & ~duties) | has_waiters | kind;
        return (word & (has_waiters | offered)) == 0 ? at(next, since) : next;
    }

    /// Whether an unlock must wake a waiter: not where a thread was woken that will try. [woken] But that thread may have to
    /// wait for a processor, so each fourth unlock asks the clock whether a handoff is due.
    ///
    /// [fifo] A strict lock is left to that thread, which may be the first, and passes the lock on if it is not.
    static bool must_pass(Word word, Purpose purpose) noexcept {
        if ((word & has_waiters) == 0) return false;
        if ((word & woken) == 0) return true;
        if ((word & strict) != 0) return false;
        return purpose == Purpose::fair || ((word & releases) == releases && is_handoff_due(word));
    }

    /// Whether none need be woken in the place of one that leaves: a passer-by took the lock, and its unlock passes it on; or a
    /// thread is on its way. [woken] Of a strict lock there is no second one then, which could be before the first. [fifo]
    static bool is_watched_by_another(Word word) noexcept {
        return (word & held) != 0 || (word & (strict | woken)) == (strict | woken);
    }

    /// Whether a waiter that is to watch an offer is to be a thread, for that comes back to its place soon. [fifo]
    static bool has_strict_order(Word word) noexcept {
        return (word & (strict | has_threads)) == (strict | has_threads);
    }

    /// The time means something while waiters are queued, or the lock is offered.
    static Word without_idle_time(Word word) noexcept {
        return (word & (has_waiters | offered)) == 0 ? word & ((release - 1) | abandoned) : word;
    }
};

}  // namespace futon
