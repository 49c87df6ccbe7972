// SPDX-License-Identifier: MIT
#include <futon/sync/arbiter.hpp>

#include <utility>

#include "platform/race_detector.hpp"
#include "platform/spin.hpp"
#include "sync/arbiter_bits.hpp"

namespace futon::detail {

namespace {

using namespace arbiter;
using Word = Arbiter::Word;

}  // namespace

/// Wakes, under the queue's lock, the waiters that the state can serve: from the first in the queue on, until one asks for more than
/// is left. [fifo] [served]
///
/// They try for themselves, in competition with others (barging), unless a handoff is due or the resource is strict: then what
/// a thread asked for is taken for it here. To a task it is only offered, or it is woken, for its loop may not run. Then
/// another waiter is woken too, a thread if there is one: it takes what there is, or watches the offer. [offer]
class Passing final : public core::WakeVisitor {
public:
    /// Only wakes.
    Passing(Word& word, const Rules& rules) noexcept : word_(word), rules_(rules) {}

    /// Gives back this amount in the same step.
    Passing(Word& word, const Rules& rules, std::uint64_t amount) noexcept
        : word_(word), rules_(rules), amount_(amount), is_unreleased_(true) {}

    void pass() noexcept {
        platform::note_release(&word_);
        revoke_expired_offer(word_);
        core::table_for(&word_).wake_while(&word_, *this, core::everyone);
    }

    /// What the return of the amount has made of the state, before any waiter took from it.
    State released() const noexcept { return released_; }

private:
    /// Which of the waiters are looked for.
    enum class Search : std::uint8_t { served, watcher, company, over };

    /// What the word says, and what it will with what is given back here.
    Bits bits() const noexcept { return with_released(word_.load()); }
    Bits with_released(Bits bits) const noexcept {
        return is_unreleased_ ? Arbiter::with_state(bits, rules_.returned(Arbiter::state_of(bits), amount_)) : bits;
    }

    /// Changes the word. The first change of all gives back what is to be given back, and may so change nothing.
    template <class Change>
    void update(Change change) noexcept {
        Bits seen = word_.load();
        Bits next = seen;
        do {
            const Bits given_back = with_released(seen);
            if (is_unreleased_) released_ = Arbiter::state_of(given_back);
            next = change(given_back);
        } while (next != seen && !word_.compare_exchange_weak(seen, next));
        is_unreleased_ = false;
    }

    /// Decides for the first waiter what the others will be woken for, too.
    void begin() noexcept {
        is_begun_ = true;
        // [served] Those who are relied on see what is given back, or it is seen here that they have taken.
        if (is_passed_later(bits())) update([](Bits seen) noexcept { return seen; });
        const Bits seen = bits();
        left_ = Arbiter::state_of(seen);
        if (is_left_to_woken(seen)) {
            search_ = Search::over;
        } else if ((seen & Arbiter::offered) != 0) {  // the task that takes it passes: it is only to be watched
            search_ = (seen & Arbiter::watched) != 0 ? Search::over : Search::watcher;
        } else {
            is_handoff_ = (seen & (Arbiter::strict | Arbiter::closed)) != 0 || is_handoff_due(seen);
        }
    }

    Decision decide(const core::Waiter& waiter) noexcept override {
        if (!is_begun_) begin();
        if (search_ == Search::served && !can_serve(waiter.amount())) {
            is_blocked_ = true;
            blocked_amount_ = waiter.amount();
            search_ = has_woken_ && !has_other_ ? Search::company : Search::over;
        }
        if (search_ == Search::over) return Decision::stop;
        if (search_ != Search::company) return Decision::take;
        const core::WaiterDescription who = waiter.describe();
        if (who.kind == core::WaiterDescription::Kind::thread || who.agent != agent_) return Decision::take;
        // Tasks of the same loop, of which there may be very many. A thread is searched for behind all of them.
        if ((bits() & Arbiter::has_threads) != 0 || ++skipped_ <= core::WaitTable::max_skipped) return Decision::skip;
        search_ = Search::over;
        return Decision::stop;
    }

    /// Before the first in the queue is refused, what is to be given back is: of two releases that can serve it only together,
    /// either sees the other. [served]
    bool can_serve(std::uint64_t amount) noexcept {
        if (rules_.can_serve(is_handoff_ ? Arbiter::state_of(bits()) : left_, amount)) return true;
        if (!is_unreleased_ || has_woken_) return false;
        update([](Bits seen) noexcept { return seen; });
        left_ = Arbiter::state_of(bits());
        return rules_.can_serve(left_, amount);
    }

    core::WakeToken take(const core::Waiter& waiter) noexcept override {
        const core::WaiterDescription who = waiter.describe();
        const bool is_thread = who.kind == core::WaiterDescription::Kind::thread;
        if (search_ == Search::served && is_handoff_) {
            core::probe::handing_off(&word_, waiter);
            return is_thread ? hand_off(waiter.amount()) : offer(waiter.amount(), who.agent);
        }
        if (is_thread) gives_woken_ = true;
        if (search_ == Search::company || (search_ == Search::watcher && is_thread)) {
            search_ = Search::over;
        } else if (search_ == Search::watcher) {
            agent_ = who.agent;
            search_ = Search::company;
        } else {
            left_ = rules_.taken(left_, waiter.amount());
            has_other_ = has_other_ || is_thread || (has_woken_ && who.agent != agent_);
            if (!is_thread) agent_ = who.agent;
            has_woken_ = true;
        }
        return core::WakeToken::none;
    }

    /// For a thread: it is taken here, unless a passer-by was faster.
    core::WakeToken hand_off(std::uint64_t amount) noexcept {
        const Bits time = time_of(now_in_nanoseconds());
        bool is_taken = false;
        update([&](Bits seen) noexcept {
            const State state = Arbiter::state_of(seen);
            is_taken = rules_.can_serve(state, amount);
            if (!is_taken) return seen;
            return at(Arbiter::with_state(seen, rules_.taken(state, amount)) & ~Arbiter::closed, time);
        });
        if (is_taken) return core::WakeToken::handed_off;
        gives_woken_ = true;
        return core::WakeToken::none;
    }

    /// For a task: until it takes, or the threshold is over, no other gets anything. Nothing is offered if a passer-by was
    /// faster, for the state must serve what is offered. [offered]
    core::WakeToken offer(std::uint64_t amount, const void* agent) noexcept {
        const Bits time = time_of(now_in_nanoseconds());
        bool is_offered = false;
        update([&](Bits seen) noexcept {
            is_offered = rules_.can_serve(Arbiter::state_of(seen), amount);
            return is_offered ? at((seen & ~Arbiter::closed) | Arbiter::offered, time) : seen;
        });
        agent_ = agent;
        if (!is_offered) {
            has_woken_ = true;
            return core::WakeToken::none;
        }
        search_ = (bits() & Arbiter::watched) != 0 ? Search::over : Search::company;
        return Arbiter::token_of(time);
    }

    /// [last-touch] The last touch of the resource, unless by those it was given to.
    void finish(bool queue_is_empty) noexcept override {
        const bool is_all_searched = search_ == Search::company;
        update([&](Bits seen) noexcept {
            if (queue_is_empty)
                seen &= ~(Arbiter::has_waiters | Arbiter::has_threads | Arbiter::closed);  // [has-waiters]
            if (is_all_searched) seen &= ~Arbiter::has_threads;
            if (gives_woken_) seen |= Arbiter::woken;  // [woken]
            // Not for one that only those who were woken leave nothing: their loops may not run.
            if (!queue_is_empty && is_blocked_ && !rules_.can_serve(Arbiter::state_of(seen), blocked_amount_) &&
                (seen & Arbiter::offered) == 0 && is_handoff_due(seen))
                seen |= Arbiter::closed;
            return without_idle_time(seen);
        });
    }

    Word& word_;
    const Rules& rules_;
    const std::uint64_t amount_ = 0;
    bool is_unreleased_ = false;  // what is to be given back was not yet
    bool is_begun_ = false;
    bool is_handoff_ = false;
    bool is_blocked_ = false;  // the first that stays in the queue asks for more than there is
    std::uint64_t blocked_amount_ = 0;
    bool has_woken_ = false;    // a waiter was woken to try
    bool has_other_ = false;    // not all of them are tasks of `agent_`
    bool gives_woken_ = false;  // one of them is a thread
    Search search_ = Search::served;
    State left_ = 0;  // when all that were woken have taken
    State released_ = 0;
    const void* agent_ = nullptr;
    std::size_t skipped_ = 0;
};

Bits Arbiter::with_offer(Bits bits) noexcept {
    return at(bits | offered, time_of(now_in_nanoseconds()));
}

Bits Arbiter::without_offer(Bits bits) noexcept {
    if ((bits & offered) == 0) return bits;
    constexpr Bits age = (handoff_age + 1) << time_shift;
    return without_idle_time(at(bits & ~offered, time_of(now_in_nanoseconds()) - age));
}

bool Arbiter::try_take(Word& word, const Rules& rules, std::uint64_t amount) noexcept {
    Bits seen = word.load();
    if (must_ask(seen, rules, amount)) {
        Passing(word, rules).pass();
        seen = word.load();
    }
    while (can_take(seen, rules, amount)) {
        const Bits next = taken(seen, rules, amount);
        if (!word.compare_exchange_weak(seen, next)) continue;
        platform::note_acquire(&word);
        if ((seen & offered) != 0 && is_served_in(next, rules)) pass(word, rules);  // an offer that had expired
        return true;
    }
    return false;
}

void Arbiter::release(Word& word, const Rules& rules, std::uint64_t amount) noexcept {
    platform::note_release(&word);
    Bits seen = word.load();
    while (true) {
        State state = rules.returned(state_of(seen), amount);
        const Bits counted = (seen & ~releases) | ((seen + release_unit) & releases);
        if (must_pass(seen, state, rules, amount)) {
            Passing passing(word, rules, amount);
            passing.pass();
            state = passing.released();
        } else if (!word.compare_exchange_weak(seen, without_idle_time(with_state(counted, state)))) {
            continue;
        }
        if (rules.has_released != nullptr) rules.has_released(word, state);
        return;
    }
}

void Arbiter::pass(Word& word, const Rules& rules) noexcept {
    if ((word.load() & has_waiters) != 0) Passing(word, rules).pass();
}

/// A task that comes too late for what it was offered was the first in the queue then: it is not refused for those behind it.
bool Arbiter::Request::may_take(Bits bits) const noexcept {
    if (!was_first_ || (bits & offered) != 0) return can_take(bits, rules_, amount_, duties_);
    return rules_.can_serve(state_of(bits), amount_);
}

bool Arbiter::Request::try_now() noexcept {
    if (!was_woken_ && must_ask(word_->load(), rules_, amount_)) Passing(*word_, rules_).pass();
    return take();
}

bool Arbiter::Request::take() noexcept {
    Bits seen = word_->load();
    while (may_take(seen)) {
        const Bits next = taken(seen, rules_, amount_) & ~duties_;
        if (!word_->compare_exchange_weak(seen, next)) continue;
        has_taken(seen, next);
        return true;
    }
    return false;
}

/// Polls for as long as that pays before a thread goes to sleep. Gives up at once where the queue is the only way.
bool Arbiter::Request::try_spinning() noexcept {
    bool is_done = false;
    platform::spin_until([&] {
        const Bits seen = word_->load();
        is_done = rules_.can_serve(state_of(seen), amount_) && try_now();
        return is_done || must_queue(seen, duties_);
    });
    return is_done;
}

core::WaitCheck Arbiter::Request::check(core::Caller caller) noexcept {
    is_thread_ = caller == core::Caller::thread;
    // Kept through all retries. That of a strict resource is read under the queue's lock: its order is that of queueing. [fifo]
    if (since_ == 0 && (word_->load() & strict) == 0) since_ = now_in_nanoseconds() | 1;
    return {word_.get(), reinterpret_cast<std::uintptr_t>(this), &Request::must_wait};
}

/// Takes, or notes that a waiter is queued: one step under the queue's lock. [check]
bool Arbiter::Request::must_wait(void*, std::uint64_t request) noexcept {
    auto& self = *reinterpret_cast<Request*>(static_cast<std::uintptr_t>(request));
    if (self.take()) return false;
    if (self.since_ == 0) self.since_ = now_in_nanoseconds() | 1;
    Bits seen = self.word_->load();
    while (true) {
        if (self.may_take(seen)) {
            if (self.take()) return false;
            seen = self.word_->load();
            continue;
        }
        Bits next = (seen & ~self.duties_) | has_waiters | (self.is_thread_ ? has_threads : 0);
        if ((seen & (has_waiters | offered)) == 0) next = at(next, time_of(self.since_));
        if (self.word_->compare_exchange_weak(seen, next)) break;
    }
    self.duties_ = 0;
    self.was_first_ = false;
    return true;
}

void Arbiter::Request::has_taken(Bits before, Bits after) noexcept {
    platform::note_acquire(word_.get());
    const bool is_relied_on = was_woken_ || duties_ != 0 || (before & offered) != 0;
    duties_ = 0;
    was_woken_ = false;
    owes_pass_ = is_relied_on && is_served_in(after, rules_);
}

/// [served] Called after each enqueueing. [offer] While an offer is open, one blocked thread wakes up when it expires, and each
/// task. An offer that has expired, and that this waiter could not make use of, is revoked, for another may.
Deadline Arbiter::Request::retry_at(core::Caller caller) noexcept {
    Bits seen = word_->load();
    const bool was_relied_on = std::exchange(was_woken_, false) && is_served_in(seen, rules_);
    if (was_relied_on || ((seen & offered) != 0 && is_expired(seen))) {
        pass(*word_, rules_);
        seen = word_->load();
    }
    const bool is_task = caller == core::Caller::task;
    const bool is_appointed = (duties_ & watched) != 0;  // a select goes on, and this waiter has stayed in its queue
    while (true) {
        is_watching_ = (seen & offered) != 0 && (is_task || is_appointed || (seen & watched) == 0);
        if (!is_watching_) {
            if (is_appointed) give_up();
            return Deadline::never();
        }
        if (is_task || is_appointed) return expiry(seen);
        if (word_->compare_exchange_weak(seen, seen | watched)) {
            duties_ |= watched;
            return expiry(seen);
        }
    }
}

bool Arbiter::Request::woken(core::WakeToken token) noexcept {
    if (token == core::WakeToken::handed_off) {
        if (duties_ != 0) {
            // [offer] What it was to watch goes on: another is appointed.
            const Bits seen = word_->fetch_and(~duties_);
            owes_pass_ = (duties_ & watched) != 0 && (seen & offered) != 0;
            duties_ = 0;
        }
        platform::note_acquire(word_.get());
        return true;
    }
    was_woken_ = true;
    if (token != core::WakeToken::none) {
        const bool is_taken = take_offer(token);
        was_first_ = !is_taken;
        return is_taken;
    }
    if (is_thread_) duties_ |= Arbiter::woken;
    return false;
}

/// [offer] Takes what this task was offered, unless that has expired and another took it. Offers are told apart by their times.
bool Arbiter::Request::take_offer(core::WakeToken offer) noexcept {
    Bits seen = word_->load();
    while ((seen & offered) != 0 && token_of(seen) == offer && rules_.can_serve(state_of(seen), amount_)) {
        const Bits next = with_state(seen, rules_.taken(state_of(seen), amount_)) & ~(offered | duties_);
        if (!word_->compare_exchange_weak(seen, without_idle_time(next))) continue;
        has_taken(seen, next);
        return true;
    }
    return false;
}

void Arbiter::Request::give_back(core::WakeToken token) noexcept {
    if (woken(token)) {
        end();  // while it keeps the resource from its end
        release(*word_, rules_, amount_);
    } else {
        give_up();
    }
}

/// This waiter may have held back those behind it, or others rely on it: that it takes [woken], or watches an offer [offer].
void Arbiter::Request::left() noexcept {
    if (duties_ != 0 || (word_->load() & has_waiters) != 0) give_up();
}

/// A release that is under way may have relied on this waiter, if it has its queue's lock already: so the queue is asked.
void Arbiter::Request::give_up() noexcept {
    if (duties_ != 0) word_->fetch_and(~std::exchange(duties_, 0));
    was_woken_ = false;
    Passing(*word_, rules_).pass();
}

void Arbiter::Request::settle() noexcept {
    owes_pass_ = false;
    pass(*word_, rules_);
}

}  // namespace futon::detail
