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
    for (int tries = 0;; ++tries) {
        Moment moment;
        if (State::must_ask(seen, rules, amount, moment)) {
            Passing::wake(word_, rules);
            moment = Moment();
            seen = word_.load();
        }
        if (!State::can_take(seen, rules, amount, moment)) return false;
        if constexpr (backs_off)
            if (!rules.is_uniform && tries == 1) {
                seen = reload_after_race();
                continue;
            }
        const Bits next = State::taken(seen, rules, amount, moment);
        if (!word_.compare_exchange_weak(seen, next)) continue;
        platform::note_acquire(&word_);
        if ((seen & offered) == 0) return true;
        probe::offer_expired(&word_);
        if (State::may_serve_one(next, rules)) Passing::wake(word_, rules);
        return true;
    }
}

template <class Bits>
std::optional<ResourceState> ArbiterBase<Bits>::release_contended(const Rules& rules, std::uint64_t amount,
                                                                  ResourceState most, Handoff handoff) noexcept {
    platform::note_release(&word_);
    Asking asking(&word_);
    Bits seen = word_.load();
    while (state_of(seen) <= most) {
        const Bits next = with_state(seen, rules.returned(state_of(seen), amount));
        if (const Pass pass = State::pass_after(next, rules, amount, handoff, asking); pass != Pass::none) {
            const std::optional<ResourceState> released = Passing::release(word_, rules, amount, most, pass);
            if (pass != Pass::of_one) return released;
            if (released) {
                ++detail::release_notes().releases;
                return released;
            }
            seen = word_.load();  // it has woken none, or there is no room
            continue;
        }
        if (!word_.compare_exchange_weak(seen, State::without_idle_time(State::counted(next)))) continue;
        ++detail::release_notes().releases;
        return state_of(next);
    }
    return std::nullopt;
}

template <class Bits>
void ArbiterBase<Bits>::time_take() const noexcept {
    detail::ReleaseNotes& notes = detail::release_notes();
    notes.times_take = false;
    notes.free_for = notes.asked_for == &word_ ? State::now() - notes.asked_at : 0;
}

template <class Bits>
Bits ArbiterBase<Bits>::reload_after_race() const noexcept {
    if constexpr (backs_off) platform::leave_alone(word_);
    return word_.load();
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
bool ArbiterBase<Bits>::Request::may_take(Bits bits, Moment& moment) const noexcept {
    if (!was_first_ || (bits & offered) != 0) return State::can_take(bits, rules_, amount_, moment);
    return rules_.can_serve(state_of(bits), amount_);
}

/// A try that fails for an offer has read the clock: that is when this waiter came. In a strict order it comes when it is queued. [fifo]
template <class Bits>
bool ArbiterBase<Bits>::Request::try_now() noexcept {
    Moment moment;
    Bits seen = word().load();
    if (!was_woken_ && State::must_ask(seen, rules_, amount_, moment)) {
        Passing::wake(word(), rules_);
        moment = Moment();
        seen = word().load();
    }
    if (take(seen, moment)) return true;
    if ((since_ == 0 || has_just_come_) && (seen & strict) == 0) {
        since_ = moment.if_known();
        has_just_come_ = since_ != 0;
    }
    return false;
}

/// If it cannot take, `seen` says why.
template <class Bits>
bool ArbiterBase<Bits>::Request::take(Bits& seen, Moment& moment) noexcept {
    while (may_take(seen, moment)) {
        if (take_as_seen(seen, moment)) {
            if ((seen & offered) != 0) probe::offer_expired(&word());
            return true;
        }
        moment = Moment();
    }
    return false;
}

/// If the word is not as it was seen, `seen` says how it is.
template <class Bits>
bool ArbiterBase<Bits>::Request::take_as_seen(Bits& seen, Moment& moment) noexcept {
    const Bits next = State::taken(seen, rules_, amount_, moment) & ~duties();
    if (!word().compare_exchange_weak(seen, next)) return false;
    has_taken(seen, next);
    return true;
}

/// Polls for as long as that pays before a thread goes to sleep. Gives up at once where the queue is the only way.
template <class Bits>
bool ArbiterBase<Bits>::Request::try_spinning() noexcept {
    bool is_done = false;
    Bits first = 0;
    const auto poll = [&] {
        const Bits seen = word().load();
        is_done = rules_.can_serve(state_of(seen), amount_) && try_now();
        return platform::polled(is_done, must_queue(seen), is_unchanged(seen, first));
    };
    platform::spin_until_replaced(key(), poll, [this] { return is_replaced(); });
    return is_done;
}

template <class Bits>
WaitCheck ArbiterBase<Bits>::Request::check(Caller caller) noexcept {
    is_thread_ = caller == Caller::thread;
    if (has_just_come_ && is_thread_) since_ = 0;  // it may have polled for some time
    // Kept through all retries. In a strict order it is read under the queue's lock: it is the time of queueing. [fifo]
    if (since_ == 0 && (word().load() & strict) == 0) {
        since_ = State::now() | 1;
        has_just_come_ = true;
    }
    return {&word(), reinterpret_cast<std::uintptr_t>(this), &Request::must_wait, FoundBy::note};
}

/// Takes, or notes that a waiter is queued: one step under the queue's lock. [check] A waiter that has just come reads the clock no
/// more: an offer that has expired since counts as open.
template <class Bits>
bool ArbiterBase<Bits>::Request::must_wait(void*, std::uint64_t request) noexcept {
    auto& self = *reinterpret_cast<Request*>(static_cast<std::uintptr_t>(request));
    Moment moment(std::exchange(self.has_just_come_, false) ? self.since_ : 0);
    Bits seen = self.word().load();
    Bits next = 0;
    do {
        if (self.take(seen, moment)) return false;
        if (self.since_ == 0) self.since_ = moment.now() | 1;
        next = State::queued(seen, self.is_thread_ ? has_threads : 0, self.since_) & ~self.duties();
    } while (!self.word().compare_exchange_weak(seen, next));
    self.has_duty_ = false;
    self.was_first_ = false;
    self.met_offer_ = moment.if_known() != 0 && State::is_open(seen, moment);
    return true;
}

/// [served] What was given back meanwhile relied on this waiter, if it had been woken, or on the task of an offer that has expired:
/// what it could not use may serve another. [keeper] While an offer is open the keeper looks after the queue. One that has expired
/// since the check met it, it ends.
template <class Bits>
void ArbiterBase<Bits>::Request::queued() noexcept {
    if (is_thread_) detail::release_notes().asked_for = nullptr;  // times change while it sleeps, and others release
    const bool was_relied_on = std::exchange(was_woken_, false);
    const Bits seen = word().load();
    Moment moment;
    if ((seen & offered) != 0 && (met_offer_ || State::is_open(seen, moment))) {
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
    Moment moment = State::moment_of(offer);
    Bits seen = word().load();
    while ((seen & offered) != 0 && State::is_token_of(seen, offer) && rules_.can_serve(state_of(seen), amount_))
        if (take_as_seen(seen, moment)) return true;
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
    template void ArbiterBase<Bits>::time_take() const noexcept;                                                 \
    template Bits ArbiterBase<Bits>::reload_after_race() const noexcept;                                         \
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
