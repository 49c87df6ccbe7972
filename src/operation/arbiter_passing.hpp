// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <futon/core/operation/arbiter.hpp>
#include <futon/core/operation/pace.hpp>
#include <futon/core/probe.hpp>
#include <futon/core/queue/wait_table.hpp>
#include <futon/detail/this_thread.hpp>

#include "operation/arbiter_mark.hpp"
#include "operation/arbiter_state.hpp"
#include "operation/keeper.hpp"
#include "platform/race_detector.hpp"

namespace futon::core {

/// Decides, under the queue's lock, which waiters get what they ask for: from the first in the queue on, until one asks for more
/// than is left. [fifo] [served]
///
/// Threads try for themselves, in competition with others (barging), unless a handoff is due or the order is strict: then what
/// a thread asked for is taken for it here. To a task it is offered, if its loop sleeps or is about to look; see Pace. [offer]
/// Where one is relied on that may not come, the queue is marked, and the keeper looks after it. [keeper]
template <class Bits>
class FUTON_LOCAL ArbiterBase<Bits>::Passing final : public WakeVisitor {
public:
    Passing(Word& word, const Rules& rules) noexcept : word_(word), rules_(rules) {}

    /// Gives back this amount in the same step, unless the state is more than `most` then.
    Passing(Word& word, const Rules& rules, std::uint64_t amount, ResourceState most, Pass pass) noexcept
        : word_(word), rules_(rules), amount_(amount), most_(most), pass_(pass), is_unreleased_(true) {}

    /// For the keeper's tick. Returns whether the queue is to be kept.
    [[gnu::cold]] static bool look(const void* address, const void* rules) noexcept {
        // Only an address, unless the queue has the mark: then the resource is there. [keeper]
        Word& word = *const_cast<Word*>(static_cast<const Word*>(address));
        Passing passing(word, *static_cast<const Rules*>(rules));
        passing.role_ = Role::keeper;
        passing.visit();
        if (passing.is_unserved_) {
            Passing calling(word, *static_cast<const Rules*>(rules));
            calling.role_ = Role::caller;
            calling.visit();
            return !calling.is_foreign_ && calling.mark != mark::none;
        }
        return !passing.is_foreign_ && passing.mark != mark::none;
    }

    // One copy each, for all that do this seldom. [last-touch] When they return, the word may be gone.

    /// Wakes the waiters that the state can serve.
    [[gnu::noinline]] static void wake(Word& word, const Rules& rules) noexcept { Passing(word, rules).visit(); }

    /// Gives back first; a pass of one that wakes none does not. Returns the state after that, before any waiter took from it, if so.
    [[gnu::noinline]] static std::optional<ResourceState> release(Word& word, const Rules& rules, std::uint64_t amount,
                                                                  ResourceState most, Pass pass) noexcept {
        Passing passing(word, rules, amount, most, pass);
        passing.visit();
        return passing.released_;
    }

    /// Marks a queue in which a waiter was enqueued while an offer was open.
    [[gnu::cold]] static void keep(Word& word, const Rules& rules) noexcept {
        Passing passing(word, rules);
        passing.role_ = Role::marker;
        passing.visit();
    }

private:
    enum class Role : std::uint8_t {
        waker,   // serves whom the state can serve
        keeper,  // the same, if the queue has not been looked after since the last tick
        caller,  // no one can be served now: wakes a task each of some loops, twice as many at each tick
        marker
    };

    /// Whether the loop of this agent is run by the calling thread.
    static bool is_here(const void* agent) noexcept { return agent != nullptr && agent == detail::this_agent(); }

    void set_stage(int stage) noexcept { mark = static_cast<std::uint16_t>(tag() | stage); }
    std::uint16_t tag() const noexcept { return mark::tag_of<Bits>(&rules_); }

    /// The keeper is to look after the queue, from now on or still.
    [[gnu::cold]] void keep() noexcept {
        set_stage(mark::fresh);
        is_kept_ = true;
    }

    void visit() noexcept {
        const void* const address = &word_;
        const Rules& rules = rules_;
        // What is behind very many whose loops come later is found at the keeper's tick.
        constexpr std::size_t most_skipped = 1024;
        table_for(address).wake_while(address, *this, role_ == Role::waker ? most_skipped : everyone);
        if (!is_kept_) return;
        // What no one can look after looks for itself. It was queued before this had the queue's lock. [noted]
        if (!keeper().keep(address, &Passing::look, &rules)) table_for(address).notify(address, everyone);
    }

    /// What the word said when it was read or changed last, and what it will with what is given back here.
    Bits bits() const noexcept { return with_released(seen_); }
    Bits with_released(Bits bits) const noexcept {
        if (!is_unreleased_ || state_of(bits) > most_) return bits;
        const Bits next = with_state(bits, rules_.returned(state_of(bits), amount_));
        return pass_ == Pass::of_one ? State::counted(next) : next;
    }

    /// Changes the word. The first change of all gives back what is to be given back, and may so change nothing.
    template <class Change>
    void update(Change change) noexcept {
        Bits seen = word_.load();
        Bits next = seen;
        do {
            const Bits given_back = with_released(seen);
            if (is_unreleased_)
                released_ = state_of(seen) <= most_ ? std::optional(state_of(given_back)) : std::nullopt;
            next = change(given_back);
        } while (next != seen && !word_.compare_exchange_weak(seen, next));
        is_unreleased_ = false;
        seen_ = next;
    }

    /// Decides for the first waiter what holds for all.
    void begin() noexcept {
        is_begun_ = true;
        old_mark_ = mark;
        if (role_ == Role::marker) {
            is_over_ = true;
            return;
        }
        if (role_ == Role::keeper || role_ == Role::caller) {
            if (mark == mark::none || (mark & ~mark::stage_mask) != tag()) {
                is_over_ = is_foreign_ = true;
                return;
            }
            if (mark::stage_of(mark) == mark::fresh && role_ == Role::keeper) {
                set_stage(mark::seen);
                is_over_ = is_waiting_ = true;  // the word is as it was
                return;
            }
        }
        seen_ = word_.load();
        now_ = begun_ = State::now();  // not before what the word says
        if (pass_ == Pass::of_one) {
            left_ = state_of(bits());
            is_over_ = (seen_ & (woken | offered | closed | strict)) != woken;
            return;
        }
        // [served] Those who are relied on see what is given back, or it is seen here that they have taken.
        const bool was_offered = (bits() & offered) != 0;
        if (was_offered)
            update([this](Bits seen) noexcept {
                // Long due: the handoff was the offer.
                const bool ends = (seen & offered) != 0 && State::is_expired(seen, now_);
                return ends ? State::at(seen & ~offered, State::due(now_)) : seen;
            });
        if (was_offered && (bits() & offered) == 0) probe::offer_expired(&word_);
        const Bits seen = bits();
        left_ = state_of(seen);
        // The task that takes what it was offered passes; and where nothing is left, who gives back.
        is_over_ = (seen & offered) != 0 || !rules_.may_serve(left_);
        is_handoff_ = pass_ == Pass::with_handoff || is_handoff(seen);
    }

    bool is_handoff(Bits seen) const noexcept {
        return (seen & (strict | closed)) != 0 || State::is_handoff_due(seen, now_);
    }

    /// [last-touch] Those that were taken, and are delivered at the end, keep the resource from its end. The keeper walks past all
    /// that it leaves, so it does that once.
    bool may_pause() noexcept override {
        return is_paused_ = has_served_ && (role_ == Role::waker || (role_ == Role::keeper && !is_left_));
    }

    /// [parts] Others have had the queue's lock. What is given back here they do not see, unless something was handed off.
    void go_on() noexcept {
        is_paused_ = is_left_ = false;
        later_ = nullptr;
        if (role_ == Role::keeper) role_ = Role::waker;  // what another pass wants to be kept stays so for a tick
        const ResourceState before = state_of(std::exchange(seen_, word_.load()));
        now_ = State::now();
        is_handoff_ = is_handoff_ || is_handoff(seen_);
        if ((seen_ & offered) != 0) is_over_ = true;  // made meanwhile: its task passes [offer]
        if (state_of(seen_) == before) return;
        left_ = state_of(bits());
        if (gives_woken_ || is_relying_) is_over_ = true;  // who was woken has taken nothing yet, and passes then
    }

    Decision decide(const Waiter& waiter) noexcept override {
        if (!is_begun_) begin();
        if (is_paused_) go_on();
        if (is_over_) return Decision::stop;
        if (role_ == Role::caller) return decide_call(waiter);
        const WaiterOwner owner = waiter.owner();
        is_thread_ = owner.caller == Caller::thread;
        if (pass_ == Pass::of_one && (has_served_ || !is_thread_)) return Decision::stop;
        prospect_ = is_thread_ ? Pace::Prospect{} : prospect_of(waiter, owner.agent);
        if (prospect_.plan == Pace::Plan::call) return Decision::take;  // it holds back no one, whatever it asks for
        if (const std::uint64_t amount = waiter.request().amount; !can_serve(amount)) {
            is_blocked_ = true;
            blocked_amount_ = amount;
            return Decision::stop;
        }
        if (prospect_.plan != Pace::Plan::later) return Decision::take;
        is_left_ = true;
        later_ = waiter.pace();
        return Decision::skip;
    }

    /// Of the loops that have come to all that they were given.
    Decision decide_call(const Waiter& waiter) noexcept {
        if (calls_ == 0)
            calls_ = std::uint32_t{1} << std::clamp(mark::stage_of(mark) - mark::seen, 0, mark::most_doublings);
        if (called_ == calls_) return Decision::stop;
        Pace* const pace = waiter.pace();
        if (pace != nullptr && pace->is_relied_on()) {
            is_left_ = true;
            return Decision::skip;
        }
        prospect_ = {Pace::Plan::call};
        is_thread_ = waiter.owner().caller == Caller::thread;
        return Decision::take;
    }

    Pace::Prospect prospect_of(const Waiter& waiter, const void* agent) noexcept {
        const Pace::Prospect at_once{Pace::Plan::serve, now_ + Pace::usual_offer};
        is_for_here_ = false;
        if (later_ != nullptr && later_ == waiter.pace()) return {Pace::Plan::later};  // as another of its loop
        if ((seen_ & has_threads) == 0) {
            is_for_here_ = waiter.is_here();
            if (is_for_here_ || is_here(agent)) return at_once;
        }
        Pace* const pace = waiter.pace();
        if (pace == nullptr) return at_once;
        // As of when the pass began: a loop that it has relied on is not late while it lasts.
        return pace->prospect(begun_, waiter.request().word, pass_ == Pass::with_handoff || (seen_ & strict) != 0);
    }

    /// Before the first in the queue is refused, what is to be given back is: of two releases that can serve it only together,
    /// either sees the other. [served] A pass of one leaves that to its release.
    bool can_serve(std::uint64_t amount) noexcept {
        if (rules_.can_serve(left_, amount)) return true;
        if (!is_unreleased_ || has_served_ || pass_ == Pass::of_one) return false;
        update([](Bits seen) noexcept { return seen; });
        left_ = state_of(bits());
        return rules_.can_serve(left_, amount);
    }

    WakeToken take(const Waiter& waiter) noexcept override {
        if (prospect_.plan == Pace::Plan::call) return call(waiter);
        has_served_ = true;
        const std::uint64_t amount = waiter.request().amount;
        const bool is_offer =
            !is_thread_ && (prospect_.plan == Pace::Plan::offer || is_handoff_ || is_for_here_) && is_scarce(amount);
        if (is_thread_ && is_handoff_) {
            probe::handing_off(&word_, waiter);
            if (hand_off(amount)) {
                left_ = rules_.taken(left_, amount);
                return WakeToken::handed_off;
            }
        } else if (is_offer) {
            probe::handing_off(&word_, waiter);
            if (const Bits offer = make_offer(waiter, amount); offer != 0)
                return State::token_of(offer, is_for_here_);  // which is for the usual time
        }
        if (is_thread_) gives_woken_ = true;
        if (!is_thread_) {
            is_relying_ = true;
            if (Pace* const pace = waiter.pace()) pace->rely(now_, now_ + Pace::usual_offer);
        }
        left_ = rules_.taken(left_, amount);  // as it was found that it can
        return WakeToken::none;
    }

    /// Nothing is kept for it: it tries when it comes.
    WakeToken call(const Waiter& waiter) noexcept {
        ++called_;
        is_relying_ = true;
        if (is_thread_) gives_woken_ = true;
        // What the loop has not come to stays what it is late for.
        if (Pace* const pace = waiter.pace(); pace != nullptr && !pace->is_relied_on())
            pace->rely(now_, now_ + Pace::usual_offer);
        return WakeToken::none;
    }

    /// Whether there is not enough for two of this kind. Where there is, the resource need not be kept for one; but where the queue
    /// is the only way, for it takes nothing past that.
    bool is_scarce(std::uint64_t amount) const noexcept {
        const Bits seen = bits();
        if ((seen & (strict | closed)) != 0) return true;
        return !State::serves_two(state_of(seen), rules_, amount);
    }

    /// For a thread: it is taken here, unless a passer-by was faster.
    bool hand_off(std::uint64_t amount) noexcept {
        bool is_taken = false;
        update([&](Bits seen) noexcept {
            const ResourceState state = state_of(seen);
            is_taken = rules_.can_serve(state, amount);
            if (!is_taken) return seen;
            return State::at(with_state(seen, rules_.taken(state, amount)) & ~closed, State::time_of(now_));
        });
        return is_taken;
    }

    /// For a task: until it takes, or the offer expires, no other gets anything. Unless a passer-by was faster. [offer]
    Bits make_offer(const Waiter& waiter, std::uint64_t amount) noexcept {
        const Pace::Time until = std::max(prospect_.until, now_ + Pace::usual_offer);
        const Bits end = State::end_of(until);
        bool is_offered = false;
        update([&](Bits seen) noexcept {
            is_offered = rules_.can_serve(state_of(seen), amount);
            return is_offered ? State::at((seen & ~closed) | offered, end) : seen;
        });
        if (!is_offered) return 0;
        if (Pace* const pace = waiter.pace()) pace->rely(now_, until, prospect_.is_rare);
        is_relying_ = is_over_ = true;
        return offered | end;
    }

    /// [last-touch] The last touch of the resource, unless by those it was given to.
    void finish(bool queue_is_empty) noexcept override {
        // No waiter was found. For the keeper the address may be no arbiter's any more.
        if (!is_begun_) is_foreign_ = role_ == Role::keeper || role_ == Role::caller;
        if (is_foreign_ || is_waiting_) return;
        if (pass_ == Pass::of_one && !gives_woken_) return;  // who gives back asks anew on whom it may rely [served]
        Bits after = 0;
        update([&](Bits seen) noexcept {
            if (queue_is_empty) seen &= ~(has_waiters | has_threads | closed);  // [has-waiters]
            if (gives_woken_) seen = State::woken_at(seen, now_);               // [woken]
            if (!queue_is_empty && is_blocked_ && !rules_.can_serve(state_of(seen), blocked_amount_) &&
                (seen & offered) == 0 && State::is_handoff_due(seen, now_))
                seen |= closed;
            return after = State::without_idle_time(seen);
        });
        if (queue_is_empty) return;
        const bool is_free = State::may_serve_one(after, rules_);
        is_unserved_ = role_ == Role::keeper && is_free && is_left_ && !has_served_;
        switch (role_) {
            case Role::waker:
                if (is_relying_ || (is_free && is_left_)) keep();
                break;
            case Role::keeper:
                // A resource that is held is passed on by those who hold it.
                if (is_relying_ || (after & offered) != 0 || (is_free && is_left_ && has_served_))
                    set_stage(mark::fresh);
                else if (!is_unserved_)
                    mark = mark::none;
                break;
            case Role::caller:
                if ((after & offered) != 0 || mark::stage_of(old_mark_) == mark::fresh)
                    set_stage(mark::fresh);
                else if (!is_free || (called_ == 0 && !is_left_))
                    mark = mark::none;
                else if (called_ != 0)
                    set_stage(std::min(mark::stage_of(mark) + 1, mark::seen + mark::most_doublings));
                break;
            case Role::marker:
                if ((after & offered) != 0) keep();
                break;
        }
    }

    Word& word_;
    const Rules& rules_;
    const std::uint64_t amount_ = 0;
    const ResourceState most_ = ~ResourceState{0};
    const Pass pass_ = Pass::when_due;
    Role role_ = Role::waker;
    bool is_unreleased_ = false;  // what is to be given back was not yet
    bool is_begun_ = false, is_paused_ = false, has_served_ = false;
    bool is_over_ = false;     // no more waiters are looked for
    bool is_foreign_ = false;  // the queue is not this arbiter's, as far as the keeper knows: the word is not touched
    bool is_waiting_ = false;  // the keeper gives it one more tick
    bool is_handoff_ = false;
    bool is_thread_ = false;  // the waiter that was decided about last
    Pace::Prospect prospect_{};
    // The task's loop runs on the calling thread, and no thread waits. What is kept for the task is idle only until this loop comes to it.
    bool is_for_here_ = false;
    bool is_blocked_ = false;  // the first that stays in the queue asks for more than there is
    std::uint64_t blocked_amount_ = 0;
    bool is_relying_ = false;      // on a task
    bool is_left_ = false;         // a task was left in the queue, for its loop comes later
    const Pace* later_ = nullptr;  // that loop's
    bool gives_woken_ = false;     // a thread was woken
    bool is_unserved_ = false, is_kept_ = false;
    std::uint16_t old_mark_ = 0;
    std::optional<ResourceState> released_;
    Bits seen_ = 0;                   // the word, as `bits` says
    ResourceState left_ = 0;          // when all that were woken have taken
    Pace::Time begun_ = 0, now_ = 0;  // the pass, and this part of it
    std::uint32_t calls_ = 0, called_ = 0;
};

}  // namespace futon::core
