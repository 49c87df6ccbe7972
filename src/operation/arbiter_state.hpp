// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

#include <futon/core/operation/arbiter.hpp>
#include <futon/core/operation/pace.hpp>
#include <futon/detail/this_thread.hpp>

#include "platform/clock.hpp"
#include "platform/spin.hpp"

namespace futon::core {

/// The time at which something is tried, which is read when it is first asked for: the clock costs as much as some locked instructions.
/// One that is known from before may be older than what the word says.
class FUTON_LOCAL Moment {
public:
    constexpr explicit Moment(Pace::Time known = 0) noexcept : time_(known), is_old_(known != 0) {}

    Pace::Time now() noexcept {
        if (time_ == 0) time_ = Pace::now();
        return time_;
    }

    /// Reads it anew if it was known from before. Returns whether it did.
    bool renew() noexcept {
        if (!is_old_) return false;
        is_old_ = false;
        time_ = Pace::now();
        return true;
    }

    /// Zero if it was not asked for.
    Pace::Time if_known() const noexcept { return time_; }

private:
    Pace::Time time_;
    bool is_old_;
};

/// Whether a release whose turn it is, each fourth, reads the clock, to see whether a handoff is due. That takes as long as an
/// acquisition. So a thread that took little time from one reading to the next omits it the next times: a handoff is hardly late for it,
/// unless holds suddenly become much longer.
class FUTON_LOCAL Asking {
public:
    explicit Asking(const void* word) noexcept : word_(word) {}

    /// Decides once, however often the release has to try. If this returns true, the moment is now.
    [[gnu::cold, gnu::noinline]] bool is_to_ask(Moment& moment) noexcept {
        if (!is_decided_) is_to_ask_ = decide(moment);
        is_decided_ = true;
        return is_to_ask_;
    }

    /// Known once this is to ask, and said once: whether a second thread would get more done, and the one that was woken may wait for the
    /// processor of the calling thread. That one has been the only one that releases, for longer than wakes take, and has much other
    /// work.
    bool is_alone() noexcept { return std::exchange(is_alone_, false); }

private:
    static constexpr Pace::Time little_time = 5'000;  // ns
    static constexpr std::uint32_t most_unasked = 3;  // turns
    static constexpr std::uint32_t releases_of_turn = 4;

    // A second thread is of use where what is released is free for a quarter of the time at least, and for much longer than it takes to
    // move its cache line.
    static constexpr int least_share = 4;
    static constexpr Pace::Time least_work = 500;  // ns
    static constexpr Pace::Time wake_time = 80'000;
    static constexpr int most_patience = 4;  // as a power of two: each wake in vain doubles the time until the next

    bool decide(Moment& moment) noexcept {
        detail::ReleaseNotes& notes = detail::release_notes();
        const bool has_asked = notes.asked_for == word_;
        if (has_asked && notes.unasked != 0) {
            --notes.unasked;
            return false;
        }
        const Pace::Time now = moment.now();
        const Pace::Time passed = now - std::exchange(notes.asked_at, now);
        is_alone_ = note_alone(notes, has_asked, passed);
        notes.unasked = has_asked && passed < little_time ? most_unasked : 0;
        notes.turns = notes.unasked + 1;
        notes.asked_for = word_;
        return true;
    }

    static bool note_alone(detail::ReleaseNotes& notes, bool has_asked, Pace::Time passed) noexcept {
        const std::uint32_t releases = std::exchange(notes.releases, 0);
        const Pace::Time work = releases * std::exchange(notes.free_for, 0);
        const bool was_alone = has_asked && releases == notes.turns * releases_of_turn &&
                               passed >= releases * least_work && platform::sees_several_processors();
        notes.times_take = was_alone;
        if (!was_alone) {
            notes.alone_since = notes.patience = 0;
            return false;
        }
        if (notes.alone_since == 0) notes.alone_since = notes.asked_at;
        // The word counts modulo four. What others released four at a time seems to be more work than there was time for.
        if (work < releases * least_work || work * least_share < passed || work > passed + passed / 4) return false;
        if (notes.asked_at - notes.alone_since < wake_time << notes.patience) return false;
        notes.alone_since = notes.asked_at;
        if (notes.patience < most_patience) ++notes.patience;
        return true;
    }

    const void* word_;
    bool is_decided_ = false;
    bool is_to_ask_ = false;
    bool is_alone_ = false;
};

/// How a release asks the queue, if it does.
enum class Pass : std::uint8_t {
    none,
    when_due,      // hands off if that is due
    with_handoff,  // hands off in any case
    of_one  // wakes the first, if that is a thread, beside the one that was woken; else does nothing, and gives nothing back
};

/// The word of an arbiter: what it says, and what it becomes.
template <class Bits>
struct FUTON_LOCAL ArbiterBase<Bits>::State {
    static constexpr Bits time_mask = ~((Bits{1} << time_shift) - 1);
    static constexpr int woken_time_shift = time_shift - woken_time_bits;
    static constexpr Bits woken_time =
        sizeof(Bits) == 8 ? ((Bits{1} << woken_time_bits) - 1) << woken_time_shift : Bits{0};
    static constexpr std::uint8_t slack = 2;        // of the end of an offer, in units of time
    static constexpr std::uintptr_t made_here = 1;  // in the token of an offer

    // Times are rounded down, so that an age is up to one unit off: a handoff is due not after the threshold, and an offer lasts
    // for as long as was said, at least.
    static constexpr Bits handoff_age =
        static_cast<Bits>(std::chrono::nanoseconds(handoff_threshold).count() >> time_unit);
    // No offer is longer. What seems to expire later has expired long ago: the time wraps once a minute.
    static constexpr Bits longest_offer = static_cast<Bits>((Pace::longest_turn + Pace::longest_turn / 2) >> time_unit);

    static Pace::Time now() noexcept { return static_cast<Pace::Time>(platform::shared_now().count()); }
    static Bits time_of(Pace::Time time) noexcept { return static_cast<Bits>(time >> time_unit) << time_shift; }
    static Bits woken_time_of(Pace::Time time) noexcept {
        return static_cast<Bits>(time >> woken_time_unit) << woken_time_shift;
    }
    static Bits end_of(Pace::Time time) noexcept { return time_of(time) + (Bits{slack} << time_shift); }
    static Bits at(Bits bits, Bits time) noexcept { return (bits & ~time_mask) | (time & time_mask); }

    /// A time of the last handoff for which another is due now.
    static Bits due(Pace::Time now) noexcept { return time_of(now) - ((handoff_age + 1) << time_shift); }

    static bool is_handoff_due(Bits bits, Pace::Time now, Bits age = handoff_age) noexcept {
        return (time_of(now) - (bits & time_mask)) >> time_shift >= age;
    }

    /// Whether the queue is to be asked because a handoff is due. A handoff that falls due while a thread is on its way waits for
    /// that thread, which was the first: it gets the handoff once it is queued again. The handoff waits only as long as some
    /// wake-ups take, for the thread may have to wait for a processor. [woken]
    static bool is_pass_due(Bits bits, Moment& moment) noexcept {
        constexpr Bits late_age = handoff_age + handoff_age / 4;
        return is_handoff_due(bits, moment.now(), (bits & woken) != 0 ? late_age : handoff_age);
    }

    /// With a thread that was woken at this time.
    static Bits woken_at(Bits bits, Pace::Time now) noexcept {
        return (bits & ~woken_time) | woken | (woken_time_of(now) & woken_time);
    }

    /// Whether the thread that was woken last has been on its way for longer than wakes take: for 65 µs at least. Says so for half
    /// of the time only, and never in a word of four bytes.
    static bool is_woken_late(Bits bits, Moment& moment) noexcept {
        if constexpr (woken_time == 0) return false;
        return ((woken_time_of(moment.now()) - (bits & woken_time)) & woken_time) >> woken_time_shift >= 2;
    }

    static bool is_expired(Bits bits, Pace::Time now) noexcept {
        const Bits left = ((bits & time_mask) - time_of(now)) >> time_shift;
        return left == 0 || left > longest_offer;
    }
    static bool is_open(Bits bits, Moment& moment) noexcept {
        return (bits & offered) != 0 && !has_expired(bits, moment);
    }

    /// An old time may tell that an offer is open, but not that it has expired: the offer may be younger.
    [[gnu::noinline]] static bool has_expired(Bits offer, Moment& moment) noexcept {
        while (is_expired(offer, moment.now()))
            if (!moment.renew()) return true;
        return false;
    }

    /// What a task is delivered with to which the resource is offered. Offers are told apart by when they expire: another is made
    /// only once the one before has expired, or its task has taken. `is_here`: by its own loop, for the usual time.
    static WakeToken token_of(Bits bits, bool is_here = false) noexcept {
        return static_cast<WakeToken>(static_cast<std::uintptr_t>((bits & time_mask) >> time_shift << 2 | 2) |
                                      (is_here ? made_here : 0));
    }
    static bool is_token_of(Bits bits, WakeToken token) noexcept {
        return (static_cast<std::uintptr_t>(token) & ~made_here) == static_cast<std::uintptr_t>(token_of(bits));
    }

    /// When its task takes an offer: if it was made here, when it was made, which is known without the clock, but for two units.
    static Moment moment_of(WakeToken offer) noexcept {
        const auto bits = static_cast<std::uintptr_t>(offer);
        if ((bits & made_here) == 0) return Moment();
        return Moment(((Pace::Time{bits >> 2} - slack) << time_unit) - Pace::usual_offer);
    }

    /// The time means something while waiters are queued, or an offer is open.
    static Bits without_idle_time(Bits bits) noexcept {
        return (bits & (has_waiters | offered)) == 0
                   ? bits & ~(time_mask | woken_time | releases | closed | has_threads)
                   : bits;
    }

    /// After an offer that was taken, or has expired. A handoff was made then: when it ended, or when it was made, if its task's own
    /// loop made it.
    static Bits without_offer(Bits bits, Moment& moment) noexcept {
        return (bits & offered) == 0 ? bits : at(bits & ~offered, time_of(moment.now()));
    }

    /// Whether a caller may take this amount, past the queue if there is one.
    static bool can_take(Bits bits, const Rules& rules, std::uint64_t amount, Moment& moment) noexcept {
        return rules.can_serve(state_of(bits), amount) && (bits & closed) == 0 && !is_ordered(bits) &&
               !is_open(bits, moment);
    }

    static Bits taken(Bits bits, const Rules& rules, std::uint64_t amount, Moment& moment) noexcept {
        const Bits next = with_state(bits, rules.taken(state_of(bits), amount));
        return without_idle_time(without_offer(next, moment));
    }

    /// With a waiter in the queue, of this kind, that came at this time.
    static Bits queued(Bits bits, Bits kind, std::uint64_t since) noexcept {
        const Bits next = bits | has_waiters | kind;
        return (bits & (has_waiters | offered)) == 0 ? at(next, time_of(since)) : next;
    }

    /// Whether a caller that could take this amount asks the queue before: its first has waited for the threshold. What there is
    /// is kept for it then, if it asks for more, as it may where requests are not alike. [fifo] While a woken thread is on its way,
    /// that is left to releases, which ask now and then: so what callers take meanwhile is bounded, and they read no clock. [woken]
    static bool must_ask(Bits bits, const Rules& rules, std::uint64_t amount, Moment& moment) noexcept {
        return !rules.is_uniform && (bits & (has_waiters | strict | closed | offered | woken)) == has_waiters &&
               rules.can_serve(state_of(bits), amount) && is_pass_due(bits, moment);
    }

    /// Whether the queue is asked after a release of this amount, whose state is in `bits`: it may serve a waiter, and no offer is open,
    /// nor a woken thread to pass on. That thread may be late, and the first in the queue may wait for more than there is; so each
    /// fourth release asks the clock whether a handoff is due, but see `Asking`. Where there is enough for two, or a thread alone leaves
    /// it free for long, a late thread holds back others in vain: then they need not wait for the handoff. [woken]
    static Pass pass_after(Bits bits, const Rules& rules, std::uint64_t amount, Handoff handoff,
                           Asking& asking) noexcept {
        const Pass full = handoff == Handoff::now ? Pass::with_handoff : Pass::when_due;
        const bool may_serve = rules.may_serve(state_of(bits));
        if ((bits & has_waiters) == 0 || !may_serve) return Pass::none;
        Moment moment;
        if ((bits & offered) != 0) return is_expired(bits, moment.now()) ? full : Pass::none;
        if ((bits & woken) == 0 || (bits & (closed | strict)) != 0 || handoff == Handoff::now) return full;
        if ((bits & releases) != releases || !asking.is_to_ask(moment)) return Pass::none;
        if (is_pass_due(bits, moment)) return full;
        if (is_woken_late(bits, moment) && serves_two(state_of(bits), rules, amount)) return full;
        return asking.is_alone() ? Pass::of_one : Pass::none;
    }

    /// With one more release that relies on `woken`.
    static Bits counted(Bits bits) noexcept { return (bits & ~releases) | ((bits + release_unit) & releases); }

    /// Whether there is enough for two of this amount.
    static bool serves_two(ResourceState state, const Rules& rules, std::uint64_t amount) noexcept {
        return rules.can_serve(state, amount) && rules.can_serve(rules.taken(state, amount), amount);
    }

    /// Whether a waiter may be queued whom the state can serve, and to which no one's offer is preferred. [served]
    static bool may_serve_one(Bits bits, const Rules& rules) noexcept {
        return (bits & (has_waiters | offered)) == has_waiters && rules.may_serve(state_of(bits));
    }
};

}  // namespace futon::core
