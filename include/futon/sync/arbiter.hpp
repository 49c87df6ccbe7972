// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <futon/core/operation.hpp>
#include <futon/core/wait_check.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/detail/chrono.hpp>
#include <futon/detail/export.hpp>
#include <futon/sync/fairness.hpp>

namespace futon::detail {

/// Decides which of those who compete for a resource get it: what a Semaphore and a SharedLock are made of. The resource is a
/// number, the *state*, in the lower half of a word of eight bytes. Its rules say whether a state can serve a request, and what
/// the request takes from it. The upper half is the arbiter's, as the bits of an AsyncLock are, and means the same:
///
///     bit          means                            set by                          cleared by
///     has_waiters  a waiter may be queued: never    a check that must wait, under   a pass that found the queue empty,
///                  clear while one is               the queue's lock [has-waiters]  under the queue's lock
///     strict       no barging                       the constructor                 never
///     woken        a thread was woken, and will     a pass, under the queue's lock  that thread: it takes, is enqueued
///                  try: releases need wake no other [woken]                         again, or gives up
///                  and, if it is strict, must not:
///                  it may be the first [fifo]
///     offered      a task may take what it asked    a pass, under the queue's lock  the task; after the threshold any
///                  for, for the threshold it alone  [offer]                         caller that takes, or a pass; a
///                                                                                   change after which the state
///                                                                                   cannot serve it [offered]
///     closed       barging is over: the first in    a pass, under the queue's lock  a pass that hands off, or finds the
///                  the queue has waited for the                                     queue empty
///                  threshold, and the state cannot
///                  serve it yet [fifo]
///     watched      a blocked thread wakes up when   that thread, before it sleeps   that thread, when it ends its wait
///                  the offer expires [offer]
///     has_threads  a thread may be queued           a check for a thread            as has_waiters
///     releases     how many releases relied on      releases, in turn               the same
///                  `woken`, or could serve none,
///                  modulo four
///     time         of the offer, or of the last     a pass; a check that must wait  what clears has_waiters and offered
///                  handoff, or since when waiters   first
///                  are queued
///
/// [served] While the state can serve the first in the queue, a waiter that was woken, or an offer, is on its way: each pass
/// wakes the waiters that the state can serve, and a waiter that was woken and has taken, or is refused and enqueued again,
/// passes.
struct Arbiter {
    using State = std::uint32_t;
    using Bits = std::uint64_t;
    using Word = Atomic<Bits>;

    /// What a resource is. `amount` is what a request asks for: a number of permits, a mode.
    struct Rules {
        bool (*can_serve)(State state, std::uint64_t amount) noexcept;
        State (*taken)(State state, std::uint64_t amount) noexcept;
        State (*returned)(State state, std::uint64_t amount) noexcept;

        /// Whether the state might serve a waiter. Where it cannot, the queue need not be asked.
        bool (*may_serve)(State state) noexcept;

        /// Whether this state, which the return of `amount` has made, might serve a waiter that the state before could not.
        /// Where it cannot, a release need not ask the queue. [served]
        bool (*may_serve_more)(State state, std::uint64_t amount) noexcept;

        /// Called last in each release, with the state that it has made; null if that is of no interest. The resource may be
        /// gone by then: the word is only an address, unless a waiter that it finds queued keeps it.
        void (*has_released)(Word& word, State state) noexcept = nullptr;
    };

    static constexpr Bits state_mask = 0xffff'ffff;
    static constexpr Bits has_waiters = Bits{1} << 32;
    static constexpr Bits strict = has_waiters << 1;
    static constexpr Bits woken = has_waiters << 2;
    static constexpr Bits offered = has_waiters << 3;
    static constexpr Bits closed = has_waiters << 4;
    static constexpr Bits watched = has_waiters << 5;
    static constexpr Bits has_threads = has_waiters << 6;
    static constexpr Bits release_unit = has_waiters << 7;  // two bits
    static constexpr int time_shift = 42;  // the time is in the bits from here on, in units of 2^14 ns, and wraps

    /// How long there may be no handoff while waiters are queued, and how long a task is offered what it asked for.
    static constexpr std::chrono::milliseconds handoff_threshold{1};

    /// What a task is woken with to which the resource was offered at this time.
    static constexpr core::WakeToken token_of(Bits time) noexcept {
        return static_cast<core::WakeToken>(
            static_cast<std::uint32_t>(((time >> time_shift << time_shift) | offered) >> 32));
    }

    static constexpr State state_of(Bits bits) noexcept { return static_cast<State>(bits); }
    static constexpr Bits with_state(Bits bits, State state) noexcept { return (bits & ~state_mask) | state; }
    static constexpr Bits initial(State state, Fairness fairness) noexcept {
        return state | (fairness == Fairness::strict ? strict : 0);
    }

    // For changes of the state that are none of the arbiter's. [offered] While an offer is open, the state can serve it: a
    // change after which it could not revokes the offer.

    /// With an offer that begins now; what it is delivered with is its `token_of`.
    FUTON_API static Bits with_offer(Bits bits) noexcept;

    /// Without the offer, if one is open: then a handoff is due, so that the task is not put off for ever.
    FUTON_API static Bits without_offer(Bits bits) noexcept;

    /// Takes, past the queue where that is allowed.
    FUTON_API static bool try_take(Word& word, const Rules& rules, std::uint64_t amount) noexcept;

    /// Gives back, and wakes whom that can serve.
    FUTON_API static void release(Word& word, const Rules& rules, std::uint64_t amount) noexcept;

    /// After a change of the state that `release` did not make: wakes whom the state can serve.
    FUTON_API static void pass(Word& word, const Rules& rules) noexcept;

    /// "Take this amount", as an operation but for its name and result.
    class FUTON_API Request;
};

class Arbiter::Request {
public:
    Request(Word& word, const Rules& rules, std::uint64_t amount) noexcept
        : word_(word), rules_(rules), amount_(amount) {}

    const void* key() const noexcept { return word_.get(); }
    std::uint64_t amount() const noexcept { return amount_; }

    /// When the waiter was enqueued first, in nanoseconds of the steady clock.
    std::uint64_t request() const noexcept { return since_; }
    static constexpr bool is_ordered_by_request = true;

    bool try_now() noexcept;
    bool try_spinning() noexcept;
    core::WaitCheck check(core::Caller caller) noexcept;
    Deadline retry_at(core::Caller caller) noexcept;
    void left() noexcept;
    bool woken(core::WakeToken token) noexcept;
    void give_back(core::WakeToken token) noexcept;

protected:
    /// The operation is over. What it owes the waiters behind it is done now.
    void end() noexcept {
        if (owes_pass_) settle();
    }
    Word& word() const noexcept { return *word_; }

private:
    static bool must_wait(void* word, std::uint64_t request) noexcept;
    bool must_wait() noexcept;
    bool may_take(Bits bits) const noexcept;
    bool take() noexcept;
    bool take_offer(core::WakeToken offer) noexcept;
    void has_taken(Bits before, Bits after) noexcept;
    void settle() noexcept;
    void give_up() noexcept;

    core::Target<Word> word_;
    const Rules& rules_;
    std::uint64_t amount_;
    std::uint64_t since_ = 0;
    Bits duties_ = 0;  // bits of the word that this waiter must clear with its next step: `woken`, `watched`
    bool is_thread_ = false;
    bool was_woken_ = false;    // since it was enqueued last: a release may have relied on it
    bool was_first_ = false;    // it was offered what it asks for, and has come too late
    bool is_watching_ = false;  // it was told when to try again
    bool owes_pass_ = false;    // others rely on it: the state may serve more, or an offer has no watcher
};

}  // namespace futon::detail
