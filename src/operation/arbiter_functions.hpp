// SPDX-License-Identifier: MIT
#pragma once

// What of an arbiter is not inline, for those that instantiate it: each width is linked by itself.
#include <algorithm>
#include <utility>

#include <futon/core/operation/arbiter.hpp>

#include "operation/arbiter_passing.hpp"
#include "operation/arbiter_state.hpp"
#include "platform/race_detector.hpp"
#include "platform/spin.hpp"

namespace futon::core {

template <class Bits>
bool ArbiterBase<Bits>::take_contended(const Rules& rules, std::uint64_t amount) noexcept {
    Bits seen = word_.load();
    if (State::must_ask(seen, rules, amount)) {
        Passing::wake(word_, rules);
        seen = word_.load();
    }
    while (State::can_take(seen, rules, amount)) {
        const Bits next = State::taken(seen, rules, amount);
        if (!word_.compare_exchange_weak(seen, next)) continue;
        platform::note_acquire(&word_);
        if ((seen & offered) == 0) return true;
        probe::offer_expired(&word_);
        if (State::may_serve_one(next, rules)) Passing::wake(word_, rules);
        return true;
    }
    return false;
}

template <class Bits>
std::optional<ResourceState> ArbiterBase<Bits>::release_contended(const Rules& rules, std::uint64_t amount,
                                                                  ResourceState most, Handoff handoff) noexcept {
    platform::note_release(&word_);
    Bits seen = word_.load();
    while (state_of(seen) <= most) {
        const Bits next = with_state(seen, rules.returned(state_of(seen), amount));
        if (State::must_pass(next, rules, handoff)) return Passing::release(word_, rules, amount, most, handoff);
        const Bits counted = (next & ~releases) | ((next + release_unit) & releases);
        if (word_.compare_exchange_weak(seen, State::without_idle_time(counted))) return state_of(next);
    }
    return std::nullopt;
}

template <class Bits>
Bits ArbiterBase<Bits>::without_offer(Bits bits) noexcept {
    if ((bits & offered) == 0) return bits;
    return State::without_idle_time(State::at(bits & ~offered, State::due(State::now())));
}

/// Its loop is waited for as in a strict order: it holds what those behind it need.
template <class Bits>
Bits ArbiterBase<Bits>::with_offer(Bits bits, const Waiter& waiter) noexcept {
    const Pace::Time now = State::now();
    Pace::Time until = now + Pace::usual_offer;
    if (Pace* const pace = waiter.pace()) {
        const Pace::Prospect prospect = pace->prospect(now, now, true);
        until = std::max(until, prospect.until);
        pace->rely(now, until);
    }
    return State::at(bits | offered, State::end_of(until));
}

template <class Bits>
WakeToken ArbiterBase<Bits>::offer_in(Bits bits) noexcept {
    return State::token_of(bits);
}

template <class Bits>
void ArbiterBase<Bits>::keep_offer(const Rules& rules) noexcept {
    if ((word_.load() & has_waiters) != 0) Passing::keep(word_, rules);
}

template <class Bits>
void ArbiterBase<Bits>::pass(const Rules& rules) noexcept {
    if ((word_.load() & has_waiters) != 0) Passing::wake(word_, rules);
}

template <class Bits>
bool ArbiterBase<Bits>::note_moved(const Rules& rules, std::uint64_t since, bool in_any_state) noexcept {
    Bits seen = word_.load();
    while (in_any_state || !rules.may_serve(state_of(seen)))
        if (word_.compare_exchange_weak(seen, State::queued(seen, has_threads, since)))
            return !rules.may_serve(state_of(seen));
    return false;
}

/// A task that comes too late for what it was offered was the first in the queue then: it is not refused for those behind it.
template <class Bits>
bool ArbiterBase<Bits>::Request::may_take(Bits bits) const noexcept {
    if (!was_first_ || (bits & offered) != 0) return State::can_take(bits, rules_, amount_);
    return rules_.can_serve(state_of(bits), amount_);
}

template <class Bits>
bool ArbiterBase<Bits>::Request::try_now() noexcept {
    if (!was_woken_ && State::must_ask(word().load(), rules_, amount_)) Passing::wake(word(), rules_);
    return take();
}

template <class Bits>
bool ArbiterBase<Bits>::Request::take() noexcept {
    Bits seen = word().load();
    while (may_take(seen)) {
        const Bits next = State::taken(seen, rules_, amount_) & ~duties();
        if (!word().compare_exchange_weak(seen, next)) continue;
        if ((seen & offered) != 0) probe::offer_expired(&word());
        has_taken(seen, next);
        return true;
    }
    return false;
}

/// Polls for as long as that pays before a thread goes to sleep. Gives up at once where the queue is the only way.
template <class Bits>
bool ArbiterBase<Bits>::Request::try_spinning() noexcept {
    bool is_done = false;
    const auto poll = [&] {
        const Bits seen = word().load();
        is_done = rules_.can_serve(state_of(seen), amount_) && try_now();
        return platform::polled(is_done, must_queue(seen));
    };
    platform::spin_until_replaced(key(), poll, [this] { return is_replaced(); });
    return is_done;
}

template <class Bits>
WaitCheck ArbiterBase<Bits>::Request::check(Caller caller) noexcept {
    is_thread_ = caller == Caller::thread;
    // Kept through all retries. In a strict order it is read under the queue's lock: it is the time of queueing. [fifo]
    if (since_ == 0 && (word().load() & strict) == 0) since_ = State::now() | 1;
    return {&word(), reinterpret_cast<std::uintptr_t>(this), &Request::must_wait};
}

/// Takes, or notes that a waiter is queued: one step under the queue's lock. [check]
template <class Bits>
bool ArbiterBase<Bits>::Request::must_wait(void*, std::uint64_t request) noexcept {
    auto& self = *reinterpret_cast<Request*>(static_cast<std::uintptr_t>(request));
    if (self.take()) return false;
    if (self.since_ == 0) self.since_ = State::now() | 1;
    Bits seen = self.word().load();
    while (true) {
        if (self.may_take(seen)) {
            if (self.take()) return false;
            seen = self.word().load();
            continue;
        }
        const Bits next = State::queued(seen, self.is_thread_ ? has_threads : 0, self.since_) & ~self.duties();
        if (self.word().compare_exchange_weak(seen, next)) break;
    }
    self.has_duty_ = false;
    self.was_first_ = false;
    return true;
}

/// [served] What was given back meanwhile relied on this waiter, if it had been woken, or on the task of an offer that has expired:
/// what it could not use may serve another. [keeper] While an offer is open the keeper looks after the queue.
template <class Bits>
void ArbiterBase<Bits>::Request::queued() noexcept {
    const bool was_relied_on = std::exchange(was_woken_, false);
    const Bits seen = word().load();
    if (State::is_open(seen)) {
        Passing::keep(word(), rules_);
    } else if (was_relied_on || (seen & offered) != 0) {
        if ((seen & has_waiters) != 0 && rules_.may_serve(state_of(seen))) Passing::wake(word(), rules_);
    }
}

template <class Bits>
void ArbiterBase<Bits>::Request::has_taken(Bits before, Bits after) noexcept {
    platform::note_acquire(&word());
    const bool is_relied_on = was_woken_ || (before & offered) != 0;
    has_duty_ = false;
    was_woken_ = false;
    owes_pass_ = is_relied_on && State::may_serve_one(after, rules_);
}

template <class Bits>
bool ArbiterBase<Bits>::Request::woken(WakeToken token) noexcept {
    if (token == WakeToken::handed_off) return true;
    was_woken_ = true;
    if (token != WakeToken::none) {
        const bool is_taken = take_offer(token);
        was_first_ = !is_taken;
        return is_taken;
    }
    has_duty_ = is_thread_;
    return false;
}

/// [offer] Takes what this task was offered, unless that has expired and another took it.
template <class Bits>
bool ArbiterBase<Bits>::Request::take_offer(WakeToken offer) noexcept {
    Bits seen = word().load();
    while ((seen & offered) != 0 && State::token_of(seen) == offer && rules_.can_serve(state_of(seen), amount_)) {
        const Bits next = State::taken(seen, rules_, amount_);
        if (!word().compare_exchange_weak(seen, next)) continue;
        has_taken(seen, next);
        return true;
    }
    return false;
}

template <class Bits>
void ArbiterBase<Bits>::Request::give_back(WakeToken token) noexcept {
    if (must_release(token)) arbiter_->release_contended(rules_, amount_);
}

template <class Bits>
bool ArbiterBase<Bits>::Request::must_release(WakeToken token) noexcept {
    if (woken(token)) {
        end();  // while it keeps the resource from its end
        return true;
    }
    pass_on();
    return false;
}

/// This waiter may have held back those behind it: that is so where the state can serve a waiter. Where it was relied on, by
/// `woken`, another is woken in its place.
template <class Bits>
void ArbiterBase<Bits>::Request::left() noexcept {
    const Bits seen = word().load();
    const bool may_serve = (seen & has_waiters) != 0 && rules_.may_serve(state_of(seen));
    if (was_woken_ || may_serve) pass_on();
}

/// A release that is under way may have relied on this waiter, if it has its queue's lock already: so the queue is asked.
template <class Bits>
void ArbiterBase<Bits>::Request::pass_on() noexcept {
    if (std::exchange(has_duty_, false)) word().fetch_and(~ArbiterBase::woken);
    was_woken_ = false;
    Passing::wake(word(), rules_);
}

template <class Bits>
void ArbiterBase<Bits>::Request::settle() noexcept {
    owes_pass_ = false;
    Passing::wake(word(), rules_);
}

}  // namespace futon::core

/// Instantiates what other code calls, and no more. An instantiation of the class would also put each function that was inlined
/// into a program that only locks.
#define FUTON_INSTANTIATE_ARBITER(Bits)                                                                          \
    template bool ArbiterBase<Bits>::take_contended(const Rules&, std::uint64_t) noexcept;                       \
    template std::optional<ResourceState> ArbiterBase<Bits>::release_contended(const Rules&, std::uint64_t,      \
                                                                               ResourceState, Handoff) noexcept; \
    template Bits ArbiterBase<Bits>::without_offer(Bits) noexcept;                                               \
    template Bits ArbiterBase<Bits>::with_offer(Bits, const Waiter&) noexcept;                                   \
    template WakeToken ArbiterBase<Bits>::offer_in(Bits) noexcept;                                               \
    template void ArbiterBase<Bits>::keep_offer(const Rules&) noexcept;                                          \
    template void ArbiterBase<Bits>::pass(const Rules&) noexcept;                                                \
    template bool ArbiterBase<Bits>::note_moved(const Rules&, std::uint64_t, bool) noexcept;                     \
    template bool ArbiterBase<Bits>::Request::try_now() noexcept;                                                \
    template bool ArbiterBase<Bits>::Request::try_spinning() noexcept;                                           \
    template WaitCheck ArbiterBase<Bits>::Request::check(Caller) noexcept;                                       \
    template void ArbiterBase<Bits>::Request::queued() noexcept;                                                 \
    template void ArbiterBase<Bits>::Request::left() noexcept;                                                   \
    template bool ArbiterBase<Bits>::Request::woken(WakeToken) noexcept;                                         \
    template void ArbiterBase<Bits>::Request::give_back(WakeToken) noexcept;                                     \
    template bool ArbiterBase<Bits>::Request::must_release(WakeToken) noexcept;                                  \
    template void ArbiterBase<Bits>::Request::settle() noexcept
