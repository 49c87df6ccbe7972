// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>
#include <optional>

#include <futon/core/operation/arbiter_rules.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/core/probe.hpp>
#include <futon/core/queue/wait_check.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/detail/chrono.hpp>
#include <futon/detail/export.hpp>
#include <futon/fairness.hpp>

namespace futon::detail {

/// The positions of an arbiter's bits above the state. Not in the template, whose constants debug information would lack.
struct ArbiterLayout {
    static constexpr int state_bits_of_32 = 2, state_bits_of_64 = 32;  // the lowest bits of a word of that size
    static constexpr int has_waiters_bit = 0, strict_bit = 1, woken_bit = 2, offered_bit = 3, closed_bit = 4;
    static constexpr int releases_bit = 5, has_threads_bit = 7;
    static constexpr int time_bits = 22, time_unit = 14;             // the highest bits; as a power of two nanoseconds
    static constexpr int woken_time_bits = 2, woken_time_unit = 16;  // those below, in a word of 64
};

}  // namespace futon::detail

namespace futon::core {

class Moment;
class Waiter;

/// The longest time without a handoff while waiters are queued.
inline constexpr std::chrono::milliseconds handoff_threshold{1};

/// When a release hands off to the first waiter in the queue, so that no other caller can take what it releases.
enum class Handoff : bool { when_due, now };

/// The part of an arbiter that does not depend on the rules, which the library compiles for both widths of the word: each call
/// passes them.
///
/// The lowest bits of the word are the state of the resource. The others belong to the arbiter:
///
///     bit          means                               set by                         cleared by
///     has_waiters  a waiter may be queued: never       a check that must wait, under  a pass that found the queue empty,
///                  clear while one is                  the queue's lock [has-waiters] under the queue's lock
///     strict       no barging                          the constructor                never
///     woken        a thread was woken, and will try:   a pass, under the queue's lock that thread: it takes, is enqueued
///                  releases need wake no other [woken]                                again, or gives up
///     offered      a task may take what it asked for,  a pass, under the queue's lock the task; once it has expired, any
///                  until `time` it alone [offer]                                      caller that takes, or a pass
///     closed       barging is over: the first in the   a pass, under the queue's lock a pass that hands off, or finds the
///                  queue has waited for the threshold,                                queue empty
///                  and the state cannot serve it yet
///                  [fifo]
///     releases     how many releases relied on         releases, in turn              the same
///                  `woken`, modulo four
///     has_threads  a thread may be queued: a hint      a check for a thread, a move   what clears has_waiters
///     woken_time   when a thread was last woken, in    a pass that wakes a thread     what clears has_waiters
///                  65 µs, modulo four: a hint; only in
///                  a word of eight bytes
///     time         `offered`: when the offer expires;  a pass; a check that must wait what clears has_waiters and offered
///                  else of the last handoff, or since  first
///                  when waiters are queued
///
/// [served] While the state can serve a queued waiter, one of these holds: a woken thread is on its way, a change that will pass is
/// under way, an offer is open, or the keeper looks after the queue. No waiter looks after another.
template <class Bits>
class FUTON_API ArbiterBase : protected detail::ArbiterLayout {
public:
    ArbiterBase(const ArbiterBase&) = delete;
    ArbiterBase& operator=(const ArbiterBase&) = delete;

    /// The state now. A hint: other threads may change it.
    ResourceState state() const noexcept { return state_of(word_.load(std::memory_order_relaxed)); }  // a hint

    /// The address of the queue.
    const void* key() const noexcept { return &word_; }

    /// The functions of the rules, in the form in which the library calls them.
    struct Rules {
        /// As `ArbiterRules` says.
        bool (*can_serve)(ResourceState, std::uint64_t) noexcept;
        ResourceState (*taken)(ResourceState, std::uint64_t) noexcept;
        ResourceState (*returned)(ResourceState, std::uint64_t) noexcept;
        bool (*may_serve)(ResourceState) noexcept;
        bool is_uniform = false;
    };

    class FUTON_API Request;

protected:
    /// The state and the arbiter's bits.
    using Word = detail::Atomic<Bits>;

    /// The fields of the word, as in the table above.
    static constexpr int state_bits = sizeof(Bits) == 8 ? state_bits_of_64 : state_bits_of_32;
    static constexpr Bits state_mask = (Bits{1} << state_bits) - 1;
    static constexpr Bits has_waiters = Bits{1} << state_bits << has_waiters_bit;
    static constexpr Bits strict = Bits{1} << state_bits << strict_bit;
    static constexpr Bits woken = Bits{1} << state_bits << woken_bit;
    static constexpr Bits offered = Bits{1} << state_bits << offered_bit;
    static constexpr Bits closed = Bits{1} << state_bits << closed_bit;
    static constexpr Bits release_unit = Bits{1} << state_bits << releases_bit;
    static constexpr Bits releases = 3 * release_unit;
    static constexpr Bits has_threads = Bits{1} << state_bits << has_threads_bit;
    static constexpr int time_shift = 8 * int{sizeof(Bits)} - time_bits;  // the time is in the bits from here on

    constexpr ArbiterBase(ResourceState state, Fairness fairness) noexcept
        : word_(state | (fairness == Fairness::strict ? strict : 0)) {}
    ~ArbiterBase() = default;

    /// The state in a word, and a word with another state.
    static constexpr ResourceState state_of(Bits bits) noexcept {
        return static_cast<ResourceState>(bits & state_mask);
    }
    static constexpr Bits with_state(Bits bits, ResourceState state) noexcept { return (bits & ~state_mask) | state; }

    /// Whether no bit of the arbiter is set: no waiter is queued, nothing is kept for one, and the order is not strict. The word
    /// is the state then.
    static constexpr bool is_idle(Bits bits) noexcept { return bits <= state_mask; }

    /// [fifo] Whether a caller must queue: if the order is strict and a waiter is queued; else while barging is closed or an offer
    /// is open.
    static constexpr bool is_ordered(Bits bits) noexcept {
        return (bits & (strict | has_waiters)) == (strict | has_waiters);
    }
    static constexpr bool must_queue(Bits bits) noexcept {
        return (bits & (offered | closed)) != 0 || is_ordered(bits);
    }

    /// Notes for how long this was free since the calling thread asked whether a handoff is due, if it asked for this last.
    void time_take() const noexcept;

    /// The contended halves of `Arbiter::try_take` and `give_back`. A release returns the new state. If the state was more than
    /// `most`, it changes nothing and returns nothing.
    bool take_contended(const Rules& rules, std::uint64_t amount) noexcept;
    std::optional<ResourceState> release_contended(const Rules& rules, std::uint64_t amount,
                                                   ResourceState most = ~ResourceState{0},
                                                   Handoff handoff = Handoff::when_due) noexcept;

    /// Whether a woken thread is on its way, and nothing is kept for a waiter: then neither a caller that takes nor a release asks the
    /// queue; but each fourth release reads the clock, and then may. [woken]
    static constexpr bool relies_on_woken(Bits bits) noexcept {
        constexpr Bits asked = has_waiters | woken | offered | closed | strict;
        return (bits & asked) == (has_waiters | woken);
    }
    static constexpr bool release_relies_on_woken(Bits bits) noexcept {
        return relies_on_woken(bits) && (bits & releases) != releases;
    }

    /// Whether a caller that loses a race backs off: only where there may be enough for several, and then in a word of eight bytes.
    static constexpr bool backs_off = sizeof(Bits) == 8;

    /// Returns the word, after the exchange of a caller failed because another thread had changed it since it was loaded. First leaves
    /// it to that thread, for as long as some acquisitions take: else both do little but fetch its cache line in turn. A call does
    /// this once, and only if it could still take: where it loses again, the line is here.
    Bits reload_after_race() const noexcept;

    // For other changes of the state. [offer] A change that leaves too little for an open offer revokes it.

    /// Returns the word without its offer. A handoff is due from its time on, so the task is not put off for ever.
    static Bits without_offer(Bits bits) noexcept;

    /// Returns the word with an offer to the task of this waiter, which is not queued here; and the token that it is delivered with.
    static Bits with_offer(Bits bits, const Waiter& waiter) noexcept;
    static WakeToken offer_in(Bits bits) noexcept;

    /// Has the keeper look after such an offer.
    void keep_offer(const Rules& rules) noexcept;

    /// Wakes the waiters that the state can serve, after such a change.
    void pass(const Rules& rules) noexcept;

    /// Notes that waiters are being moved to the queue, if the state can serve none of them, and returns true: a release will pass
    /// to them. Otherwise returns false, and notes it only if `in_any_state`; the caller then passes, after the move. Called under
    /// the queue's lock. `since` is when the first of them was queued. [has-waiters]
    bool note_moved(const Rules& rules, std::uint64_t since, bool in_any_state = false) noexcept;

    Word word_;
    [[no_unique_address]] probe::Lifetime lifetime_;

private:
    friend struct ArbiterAccess;
    class Passing;
    struct State;
};

/// "Take this amount" as an operation. The derived class adds its name and its result.
template <class Bits>
class FUTON_API ArbiterBase<Bits>::Request {
public:
    const void* key() const noexcept { return arbiter_.get(); }

    /// When its waiter was first enqueued, in nanoseconds of the steady clock, and how much it asks for. Waiters that were woken in
    /// vain are queued again in the order of these times.
    Demand request() const noexcept { return {since_, amount_}; }
    static constexpr Place place(Enqueueing enqueueing) noexcept {
        return enqueueing == Enqueueing::first ? Place::tail : Place::by_request;
    }

    /// As `Operation` says.
    bool try_now() noexcept;
    bool try_spinning() noexcept;
    WaitCheck check(Caller caller) noexcept;
    void queued() noexcept;
    void left() noexcept;
    bool woken(WakeToken token) noexcept;
    void give_back(WakeToken token) noexcept;

protected:
    Request(ArbiterBase& arbiter, const Rules& rules, std::uint64_t amount) noexcept
        : arbiter_(arbiter), rules_(rules), amount_(amount) {}

    /// How much it asks for.
    std::uint64_t amount() const noexcept { return amount_; }

    /// The arbiter that it asks; null after a move.
    ArbiterBase* arbiter() const noexcept { return arbiter_.get(); }

    /// For a waiter that is moved here from another queue: whether a thread or a task waits, and since when.
    void come_from(Caller caller) noexcept { is_thread_ = caller == Caller::thread; }
    void take_place(std::uint64_t since) noexcept { since_ = since; }

    /// The bits that its next change of the word must clear.
    Bits duties() const noexcept { return has_duty_ ? ArbiterBase::woken : 0; }

    /// Whether a woken thread, which is not this one, is on its way to try what this one tries. [woken]
    bool is_replaced() const noexcept {
        return !has_duty_ && (word().load(std::memory_order_relaxed) & ArbiterBase::woken) != 0;  // a hint
    }

    /// Of polls: whether no other has released what it asks for since the first. That is known while releases are counted. [woken]
    static constexpr bool is_unchanged(Bits seen, Bits& first) noexcept {
        if ((seen & (has_waiters | ArbiterBase::woken)) != (has_waiters | ArbiterBase::woken)) return false;
        if (first == 0) first = seen;
        return seen == first;
    }

    /// Says that it took, and that the state can serve no other request now.
    void has_taken_all() noexcept { has_duty_ = was_woken_ = false; }

    /// As `give_back`, but without the release: if this returns true, the caller must release.
    bool must_release(WakeToken token) noexcept;

    /// Ends the operation, and passes to the waiters behind it if it must. Called by `result`.
    void end() noexcept {
        if (owes_pass_) settle();
    }

private:
    static bool must_wait(void* word, std::uint64_t request) noexcept;
    bool may_take(Bits bits, Moment& moment) const noexcept;
    bool take(Bits& seen, Moment& moment) noexcept;
    [[gnu::noinline]] bool take_as_seen(Bits& seen, Moment& moment) noexcept;
    bool take_offer(WakeToken offer) noexcept;
    void has_taken(Bits before, Bits after) noexcept;
    void pass_on() noexcept;
    void settle() noexcept;
    Word& word() const noexcept { return arbiter_->word_; }

    Target<ArbiterBase> arbiter_;
    const Rules& rules_;
    std::uint64_t amount_;
    std::uint64_t since_ = 0;
    bool is_thread_ = false;
    bool has_duty_ = false;       // its next change of the word must clear `woken`
    bool was_woken_ = false;      // since it was last enqueued: a release may have relied on it
    bool has_just_come_ = false;  // `since_` is the time of the try before the check
    bool met_offer_ = false;      // the check saw an open one
    bool was_first_ = false;      // it was offered what it asks for, and came too late
    bool owes_pass_ = false;      // the state may serve more waiters, which rely on it to pass
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
