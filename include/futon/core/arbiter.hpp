// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <cstdint>
#include <optional>

#include <futon/core/operation.hpp>
#include <futon/core/wait_check.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/detail/chrono.hpp>
#include <futon/detail/export.hpp>
#include <futon/sync/fairness.hpp>

namespace futon::detail {

/// Where an arbiter's bits are, counted from the state on. Not in the template: debug information lacks the constants of those.
struct ArbiterLayout {
    static constexpr int state_bits_of_32 = 2, state_bits_of_64 = 32;  // the lowest bits, of a word of so many
    static constexpr int has_waiters_bit = 0, strict_bit = 1, woken_bit = 2, offered_bit = 3, closed_bit = 4;
    static constexpr int releases_bit = 5, has_threads_bit = 7;
    static constexpr int time_bits = 22, time_unit = 14;  // the highest bits; as a power of two nanoseconds
};

}  // namespace futon::detail

namespace futon::core {

class Waiter;

/// The state of a resource: a number, whose meaning its rules define.
using ResourceState = std::uint32_t;

/// What a resource is, in four pure functions of its state. `amount` is what a request asks for, in a number that the rules define:
/// how many permits, which mode.
///
///     struct Permits {
///         using Word = std::uint64_t;
///         static bool can_serve(ResourceState permits, std::uint64_t count) noexcept { return permits >= count; }
///         static ResourceState taken(ResourceState permits, std::uint64_t count) noexcept { return permits - count; }
///         static ResourceState returned(ResourceState permits, std::uint64_t count) noexcept { return permits + count; }
///         static bool may_serve(ResourceState permits) noexcept { return permits != 0; }
///     };
///
/// `Word` is `std::uint64_t`, for a state of 32 bits, or `std::uint32_t`, for a state of two. `may_serve` says whether the state
/// might serve any request at all: where it cannot, no waiter is asked. Requests are served from the head of the queue on, up to
/// the first that cannot be: one behind it waits, also where its amount is less, or its mode another.
///
/// Rules may also have a constant `is_uniform`, which is true where all requests are alike: what serves one serves any, as with
/// a lock. Then nothing need be kept for one that asks for more.
///
/// The keeper may ask them a little later than the last call of the code that they were compiled in. Where plugins use a
/// resource that outlives them, its rules have a static member `lasting`, an `ArbiterBase<Word>::Rules` that is defined in code which
/// stays: `Arbiter<R>::own_rules`, copied there.
///
/// Threads  any, under locks of the library: they must not block, allocate, or throw
// clang-format off
template <class R>
concept ArbiterRules = requires(ResourceState state, std::uint64_t amount) {
    typename R::Word;
    requires std::same_as<typename R::Word, std::uint64_t> || std::same_as<typename R::Word, std::uint32_t>;
    { R::can_serve(state, amount) } noexcept -> std::same_as<bool>;
    { R::taken(state, amount) } noexcept -> std::same_as<ResourceState>;
    { R::returned(state, amount) } noexcept -> std::same_as<ResourceState>;
    { R::may_serve(state) } noexcept -> std::same_as<bool>;
};
// clang-format on

/// How long there may be no handoff while waiters are queued.
inline constexpr std::chrono::milliseconds handoff_threshold{1};

/// When what is released goes to the first in the queue, and to no passer-by.
enum class Handoff : bool { when_due, now };

/// An arbiter without its rules: they come with each call. What is compiled once.
///
/// The state of the resource is in the lowest bits of a word. The others are the arbiter's:
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
///     time         `offered`: when the offer expires;  a pass; a check that must wait what clears has_waiters and offered
///                  else of the last handoff, or since  first
///                  when waiters are queued
///
/// [served] While the state can serve a waiter, a thread that was woken or a change that passes is on its way, an offer is open, or
/// the keeper looks after the queue. No waiter looks after another.
template <class Bits>
class FUTON_API ArbiterBase : protected detail::ArbiterLayout {
public:
    ArbiterBase(const ArbiterBase&) = delete;
    ArbiterBase& operator=(const ArbiterBase&) = delete;

    /// The state now: a hint, for others change it.
    ResourceState state() const noexcept { return state_of(word_.load(std::memory_order_relaxed)); }  // a hint

    /// The address of the queue.
    const void* key() const noexcept { return &word_; }

    /// The functions of rules, as the library calls them.
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
    /// Where the state and the arbiter's bits are.
    using Word = detail::Atomic<Bits>;

    /// The word, as the table says.
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

    /// What the word says of the resource, and with another state.
    static constexpr ResourceState state_of(Bits bits) noexcept {
        return static_cast<ResourceState>(bits & state_mask);
    }
    static constexpr Bits with_state(Bits bits, ResourceState state) noexcept { return (bits & ~state_mask) | state; }

    /// Whether no bit of the arbiter is set: no waiter is queued, nothing is kept for one, and the order is not strict. Then the
    /// word is the state.
    static constexpr bool is_idle(Bits bits) noexcept { return bits <= state_mask; }

    /// [fifo] Whether the queue is the only way: in a strict order if a waiter is queued; for all others while it is closed, or an
    /// offer is open.
    static constexpr bool is_ordered(Bits bits) noexcept {
        return (bits & (strict | has_waiters)) == (strict | has_waiters);
    }
    static constexpr bool must_queue(Bits bits) noexcept {
        return (bits & (offered | closed)) != 0 || is_ordered(bits);
    }

    /// What is not inline of `Arbiter::try_take` and `give_back`. A release returns the state that it has made; nothing, and changes
    /// nothing, where the state was more than `most`.
    bool take_contended(const Rules& rules, std::uint64_t amount) noexcept;
    std::optional<ResourceState> release_contended(const Rules& rules, std::uint64_t amount,
                                                   ResourceState most = ~ResourceState{0},
                                                   Handoff handoff = Handoff::when_due) noexcept;

    // For changes of the state that are neither. [offer] A change after which the state cannot serve an open offer revokes it.

    /// Without an offer: the handoff of that time is due, so that its task is not put off for ever.
    static Bits without_offer(Bits bits) noexcept;

    /// With an offer to the task of this waiter, which is not queued here; and the token that it is delivered with.
    static Bits with_offer(Bits bits, const Waiter& waiter) noexcept;
    static WakeToken offer_in(Bits bits) noexcept;

    /// After an offer of that kind: it is looked after.
    void keep_offer(const Rules& rules) noexcept;

    /// After such a change: wakes whom the state can serve.
    void pass(const Rules& rules) noexcept;

    /// Notes that waiters are being moved to the queue, if the state can serve none: a release will pass to them. Else it returns
    /// false, and notes it only if that is wanted in any state: then the caller passes, after the move. Under the queue's lock.
    /// `since` is the time of the first of them. [has-waiters]
    bool note_moved(const Rules& rules, std::uint64_t since, bool in_any_state = false) noexcept;

    Word word_;

private:
    friend struct ArbiterAccess;
    class Passing;
    struct State;
};

/// "Take this amount", as an operation but for its name and result, which the derived class has.
template <class Bits>
class FUTON_API ArbiterBase<Bits>::Request {
public:
    const void* key() const noexcept { return arbiter_.get(); }

    /// When its waiter was enqueued first, in nanoseconds of the steady clock, and how much it asks for. Waiters that were woken in
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

    /// What it asks; null once this was moved from.
    ArbiterBase* arbiter() const noexcept { return arbiter_.get(); }

    /// For a waiter that is moved here from another queue: who waits, and since when.
    void come_from(Caller caller) noexcept { is_thread_ = caller == Caller::thread; }
    void take_place(std::uint64_t since) noexcept { since_ = since; }

    /// The bits that its next step must clear.
    Bits duties() const noexcept { return has_duty_ ? ArbiterBase::woken : 0; }

    /// It took, and the state can serve no other then.
    void has_taken_all() noexcept { has_duty_ = was_woken_ = false; }

    /// As `give_back`, but for the release, which is the caller's to make if this returns true.
    bool must_release(WakeToken token) noexcept;

    /// The operation is over: what it owes those behind it is done now. Called by `result`.
    void end() noexcept {
        if (owes_pass_) settle();
    }

private:
    static bool must_wait(void* word, std::uint64_t request) noexcept;
    bool may_take(Bits bits) const noexcept;
    bool take() noexcept;
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
    bool has_duty_ = false;   // it must clear `woken` with its next step
    bool was_woken_ = false;  // since it was enqueued last: a release may have relied on it
    bool was_first_ = false;  // it was offered what it asks for, and has come too late
    bool owes_pass_ = false;  // others rely on it: the state may serve more
};

extern template class ArbiterBase<std::uint32_t>;
extern template class ArbiterBase<std::uint64_t>;

/// Decides which of those who compete for a resource get it, threads that block and tasks of loops that must not, in one queue:
/// what a lock, a semaphore or a readers-writer lock is made of. With the rules of a resource it makes a fair primitive of
/// one's own, in all ways of waiting.
///
///     class Permits { ... };                                   // rules: see ArbiterRules
///     futon::core::Arbiter<Permits> permits(4);
///     if (permits.try_take(1)) permits.give_back(1);
///     struct Acquiring : futon::core::Arbiter<Permits>::Request {   // for core::block, core::await, select
///         using Result = bool;
///         static constexpr const char* name = "acquire";
///         using Request::Request;
///         bool result(futon::core::Ending ending) { end(); return to_wait_result(ending) == futon::WaitResult::ok; }
///     };
///
/// Fairness  a caller may take what is there past the queue, but once a handoff is due, a `handoff_threshold` after the last
///           one, what is there goes to the first in the queue. Where it asks for more than there is, the queue is closed to
///           passers-by until that is there. `Fairness::strict`: no one ever takes past the queue.
/// Loops     to a task, whose loop may not run, a resource is only offered, for as long as its loop takes to look at its jobs (see
///           Pace). A loop that is in the middle of a turn is made the offer shortly before it looks; threads go first until
///           then. In a strict order it is made at once, for the rest of the turn: who overtakes a task there comes after an offer
///           that was as long as the longest turn that its loop had shown of late. A task whose loop is in a turn longer than that, or
///           did not come in time and has not come since, is woken: it keeps its place by the time when it was queued, and
///           nothing is kept for it.
/// Ordering  what happened before a `give_back` happens before what follows a take that it made possible.
/// Lifetime  `give_back` does not touch the arbiter once it has given back, so the next to take may destroy it.
/// Requires  it is not destroyed while a waiter is queued for it.
/// Threads   any
/// Cost      a word. Where no one waits, a compare-exchange to take and one to give back
template <ArbiterRules R>
class Arbiter : public ArbiterBase<typename R::Word> {
    using Base = ArbiterBase<typename R::Word>;

public:
    explicit constexpr Arbiter(ResourceState state, Fairness fairness = Fairness::bounded) noexcept
        : Base(state, fairness) {}

    /// Takes this amount if it is there, and no one is preferred.
    bool try_take(std::uint64_t amount) noexcept {
        auto seen = this->word_.load(std::memory_order_relaxed);  // decided by the exchange
        while (Base::is_idle(seen)) {
            const auto state = static_cast<ResourceState>(seen);
            if (!R::can_serve(state, amount)) return false;
            if (this->word_.compare_exchange_weak(seen, R::taken(state, amount),
                                                  std::memory_order_acquire,     // [lock-release]
                                                  std::memory_order_relaxed)) {  // tries again
                return true;
            }
        }
        return this->take_contended(rules, amount);
    }

    /// Gives this amount back, and wakes whom that can serve. What was not taken may be given, too: permits that are new.
    void give_back(std::uint64_t amount) noexcept {
        auto seen = this->word_.load(std::memory_order_relaxed);  // decided by the exchange
        while (Base::is_idle(seen))
            if (this->word_.compare_exchange_weak(seen, R::returned(static_cast<ResourceState>(seen), amount),
                                                  std::memory_order_release,   // [lock-release]
                                                  std::memory_order_relaxed))  // tries again
                return;
        this->release_contended(rules, amount);
    }

    /// The same, unless the state is more than `most` then. Returns whether it is given back.
    bool give_back_up_to(ResourceState most, std::uint64_t amount) noexcept {
        auto seen = this->word_.load(std::memory_order_relaxed);  // decided by the exchange
        while (Base::is_idle(seen) && seen <= most)
            if (this->word_.compare_exchange_weak(seen, R::returned(static_cast<ResourceState>(seen), amount),
                                                  std::memory_order_release,   // [lock-release]
                                                  std::memory_order_relaxed))  // tries again
                return true;
        return this->release_contended(rules, amount, most).has_value();
    }

    /// "Take this amount", but for name and result.
    class Request : public Base::Request {
    public:
        Request(Arbiter& arbiter, std::uint64_t amount) noexcept : Base::Request(arbiter, rules, amount) {}
    };

    /// The rules, as the library calls them.
    static constexpr bool is_uniform = requires { requires R::is_uniform; };
    static constexpr typename Base::Rules own_rules{&R::can_serve, &R::taken, &R::returned, &R::may_serve, is_uniform};
    static constexpr const typename Base::Rules& rules = []() -> const typename Base::Rules& {
        if constexpr (requires { R::lasting; }) {
            return R::lasting;
        } else {
            return own_rules;
        }
    }();

protected:
    /// For a resource that serves one at a time. What taking and giving back come to as a rule while waiters are queued: one step, after
    /// which nothing is left to do. Where there would be more to do, they change nothing, and return false. A taker that was woken
    /// clears its `duties`.
    bool take_in_one_step(std::uint64_t amount, typename R::Word duties = 0) noexcept requires is_uniform {
        auto seen = this->word_.load(std::memory_order_relaxed);  // decided by the exchange
        while (!Base::must_queue(seen) && R::can_serve(Base::state_of(seen), amount)) {
            const auto next = Base::with_state(seen, R::taken(Base::state_of(seen), amount)) & ~duties;
            if (this->word_.compare_exchange_weak(seen, next, std::memory_order_acquire,  // [lock-release]
                                                  std::memory_order_relaxed))             // tries again
                return true;
        }
        return false;
    }
    bool give_back_in_one_step(std::uint64_t amount) noexcept requires is_uniform {
        auto seen = this->word_.load(std::memory_order_relaxed);  // decided by the exchange
        while (relies_on_woken(seen) || (seen & (Base::has_waiters | Base::offered)) == 0) {
            auto next = Base::with_state(seen, R::returned(Base::state_of(seen), amount));
            if ((seen & Base::has_waiters) != 0) next += Base::release_unit;
            if (this->word_.compare_exchange_weak(seen, next, std::memory_order_release,  // [lock-release]
                                                  std::memory_order_relaxed))             // tries again
                return true;
        }
        return false;
    }

private:
    /// Whether a release leaves the passing to a woken thread, without a look at the clock. [woken]
    static bool relies_on_woken(typename R::Word bits) noexcept {
        constexpr auto asked = Base::has_waiters | Base::woken | Base::offered | Base::closed | Base::strict;
        return (bits & asked) == (Base::has_waiters | Base::woken) && (bits & Base::releases) != Base::releases;
    }
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
