// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include <futon/sync/arbiter.hpp>

#include "platform/clock.hpp"

/// What the bits of an arbiter's word say.
namespace futon::detail::arbiter {

using Bits = Arbiter::Bits;
using State = Arbiter::State;
using Rules = Arbiter::Rules;

inline constexpr Bits releases = 3 * Arbiter::release_unit;
inline constexpr Bits time_mask = ~((Bits{1} << Arbiter::time_shift) - 1);
inline constexpr int time_unit = 14;  // as a power of two nanoseconds
// Both ends of an age are rounded down, so that it is up to one unit off: not after the threshold a handoff is due, not before
// the threshold an offer expires.
inline constexpr auto handoff_age =
    static_cast<Bits>(std::chrono::nanoseconds(Arbiter::handoff_threshold).count() >> time_unit);
inline constexpr Bits expired_age = handoff_age + 2;

inline std::uint64_t now_in_nanoseconds() noexcept {
    return static_cast<std::uint64_t>(platform::shared_now().count());
}
inline Bits time_of(std::uint64_t nanoseconds) noexcept {
    return static_cast<Bits>(nanoseconds >> time_unit) << Arbiter::time_shift;
}
inline Bits at(Bits bits, Bits time) noexcept {
    return (bits & ~time_mask) | (time & time_mask);
}
inline Bits age(Bits bits) noexcept {
    return (time_of(now_in_nanoseconds()) - (bits & time_mask)) >> Arbiter::time_shift;
}
inline bool is_handoff_due(Bits bits) noexcept {
    return age(bits) >= handoff_age;
}
inline bool is_expired(Bits bits) noexcept {
    return age(bits) >= expired_age;
}

/// When the offer that the word says expires.
inline Deadline expiry(Bits bits) noexcept {
    const Bits spent = std::min(age(bits), expired_age);
    return Deadline(std::chrono::nanoseconds(static_cast<std::int64_t>(expired_age - spent) << time_unit));
}

/// The time means something while waiters are queued, or an offer is open.
inline Bits without_idle_time(Bits bits) noexcept {
    constexpr Bits idle = Arbiter::has_waiters | Arbiter::offered;
    return (bits & idle) == 0 ? bits & ~(time_mask | releases | Arbiter::closed) : bits;
}

inline void revoke_expired_offer(Arbiter::Word& word) noexcept {
    Bits seen = word.load();
    while ((seen & Arbiter::offered) != 0 && is_expired(seen))
        if (word.compare_exchange_weak(seen, without_idle_time(seen & ~Arbiter::offered))) break;
}

/// [fifo] Whether what there is of a strict resource is left to a thread that was woken to watch an offer. It is in no queue,
/// and may be the first: once it is back at its place, it passes.
inline bool is_left_to_woken(Bits bits) noexcept {
    return (bits & (Arbiter::strict | Arbiter::woken)) == (Arbiter::strict | Arbiter::woken);
}

/// Whether another passes to the queue what is given back now.
inline bool is_passed_later(Bits bits) noexcept {
    return (bits & Arbiter::offered) != 0 || is_left_to_woken(bits);
}

/// Whether a caller with these duties may take this amount, past the queue if there is one.
inline bool can_take(Bits bits, const Rules& rules, std::uint64_t amount, Bits duties = 0) noexcept {
    if (!rules.can_serve(Arbiter::state_of(bits), amount)) return false;
    if ((bits & Arbiter::offered) != 0) return is_expired(bits);  // [offer]
    if ((bits & Arbiter::closed) != 0) return false;              // [fifo]
    if (is_left_to_woken(bits & ~duties)) return false;           // [fifo]
    return (bits & (Arbiter::strict | Arbiter::has_waiters)) != (Arbiter::strict | Arbiter::has_waiters);
}

/// Whether the queue is the only way for a caller with these duties, so that polling cannot help.
inline bool must_queue(Bits bits, Bits duties) noexcept {
    constexpr Bits ordered = Arbiter::strict | Arbiter::has_waiters;
    return (bits & (Arbiter::offered | Arbiter::closed)) != 0 || (bits & ordered) == ordered ||
           is_left_to_woken(bits & ~duties);
}

/// Whether a caller that could take this amount asks the queue before: its first has waited for the threshold. What there is is
/// kept for it then, if it asks for more. [fifo]
inline bool must_ask(Bits bits, const Rules& rules, std::uint64_t amount) noexcept {
    constexpr Bits decided = Arbiter::strict | Arbiter::closed | Arbiter::offered;
    return (bits & (Arbiter::has_waiters | decided)) == Arbiter::has_waiters &&
           rules.can_serve(Arbiter::state_of(bits), amount) && is_handoff_due(bits);
}

inline Bits taken(Bits bits, const Rules& rules, std::uint64_t amount) noexcept {
    const Bits next = Arbiter::with_state(bits, rules.taken(Arbiter::state_of(bits), amount));
    if ((bits & Arbiter::offered) == 0) return without_idle_time(next);
    return without_idle_time(at(next & ~Arbiter::offered, time_of(now_in_nanoseconds())));
}

/// Whether those who are queued must be asked: the state that the return of this amount makes may serve one, and no waiter that
/// was woken, or to which it is offered, will pass on. A woken thread may have to wait for a processor, and the first in the
/// queue for more than there is; so each fourth release asks the clock whether a handoff is due.
inline bool must_pass(Bits bits, State state, const Rules& rules, std::uint64_t amount) noexcept {
    if ((bits & Arbiter::has_waiters) == 0 || is_passed_later(bits)) return false;
    const bool may_serve = rules.may_serve_more(state, amount);
    if (may_serve && ((bits & Arbiter::woken) == 0 || (bits & Arbiter::closed) != 0)) return true;
    if ((bits & releases) != releases) return false;
    return (may_serve || (bits & Arbiter::closed) == 0) && is_handoff_due(bits);
}

/// Whether a waiter may be queued whom this state can serve, and to which no task's offer is preferred.
inline bool is_served_in(Bits bits, const Rules& rules) noexcept {
    return (bits & (Arbiter::has_waiters | Arbiter::offered)) == Arbiter::has_waiters &&
           rules.may_serve(Arbiter::state_of(bits));
}

}  // namespace futon::detail::arbiter
