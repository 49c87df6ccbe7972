// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>

#include <futon/core/operation/arbiter_base.hpp>
#include <futon/core/operation/arbiter_rules.hpp>
#include <futon/detail/contract.hpp>
#include <futon/detail/this_thread.hpp>
#include <futon/fairness.hpp>

namespace futon::core {

/// Decides who gets a resource: threads that block and tasks of loops that must not, in one queue. Locks, semaphores and
/// readers-writer locks are made of it. Give it the rules of a resource to make a fair primitive of your own, with every way of
/// waiting.
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
/// Fairness  a caller may take what is there ahead of the queue. Once a handoff is due, a `handoff_threshold` after the last one,
///           it goes to the first waiter in the queue. If that waiter asks for more than there is, barging is closed until there
///           is enough. With `Fairness::strict`, no caller takes ahead of the queue.
/// Loops     a task's loop may not be running, so a resource is only offered to a task, for as long as its loop takes to look at
///           its jobs (see Pace). If the loop is in the middle of a turn, the offer is made shortly before the loop looks, and
///           threads go first until then. In a strict order the offer is made at once, for the rest of the turn. So a task is
///           overtaken there only after an offer as long as the longest turn that its loop has lately shown. A task is woken
///           without an offer if its loop is in a longer turn than that, or missed an offer and has not looked since. It keeps its
///           place, by the time at which it was queued, but nothing is kept for it.
/// Ordering  everything before a `give_back` happens before everything after a take that it makes possible.
/// Lifetime  `give_back` does not touch the arbiter after giving back, so the next taker may destroy it.
/// Requires  the arbiter is not destroyed while a waiter is queued.
/// Threads   any
/// Cost      a word. If no waiter is queued, a compare-exchange to take and one to give back. If
///           another thread is faster, who takes backs off once, for two microseconds at most, unless the word has four bytes
template <ArbiterRules R>
class Arbiter : public ArbiterBase<typename R::Word> {
    using Base = ArbiterBase<typename R::Word>;

public:
    explicit constexpr Arbiter(ResourceState state, Fairness fairness = Fairness::bounded) noexcept
        : Base(fitting(state), fairness) {}

    /// Takes this amount if it is there, and no waiter is preferred.
    bool try_take(std::uint64_t amount) noexcept {
        auto seen = this->word_.load(std::memory_order_relaxed);  // the exchange decides
        for (int tries = 0; Base::is_idle(seen); ++tries) {
            const auto state = static_cast<ResourceState>(seen);
            if (!R::can_serve(state, amount)) return false;
            if (Base::backs_off && !is_uniform && tries == 1)
                seen = this->reload_after_race();
            else if (this->word_.compare_exchange_weak(seen, fitting(R::taken(state, amount)),
                                                       std::memory_order_acquire,   // [lock-release]
                                                       std::memory_order_relaxed))  // the loop retries
                return true;
        }
        return this->take_contended(rules, amount);
    }

    /// Gives this amount back, and wakes the waiters that it can serve. The amount need not have been taken: new permits may be given.
    void give_back(std::uint64_t amount) noexcept {
        auto seen = this->word_.load(std::memory_order_relaxed);  // the exchange decides
        while (Base::is_idle(seen))
            if (this->word_.compare_exchange_weak(seen, fitting(R::returned(static_cast<ResourceState>(seen), amount)),
                                                  std::memory_order_release,   // [lock-release]
                                                  std::memory_order_relaxed))  // the loop retries
                return;
        this->release_contended(rules, amount);
    }

    /// The same, unless the state is more than `most`. Returns whether the amount was given back.
    bool give_back_up_to(ResourceState most, std::uint64_t amount) noexcept {
        auto seen = this->word_.load(std::memory_order_relaxed);  // the exchange decides
        while (Base::is_idle(seen) && seen <= most)
            if (this->word_.compare_exchange_weak(seen, fitting(R::returned(static_cast<ResourceState>(seen), amount)),
                                                  std::memory_order_release,   // [lock-release]
                                                  std::memory_order_relaxed))  // the loop retries
                return true;
        return this->release_contended(rules, amount, most).has_value();
    }

    /// "Take this amount", without name and result.
    class Request : public Base::Request {
    public:
        Request(Arbiter& arbiter, std::uint64_t amount) noexcept : Base::Request(arbiter, rules, amount) {}
    };

    /// The rules, in the form in which the library calls them.
    static constexpr bool is_uniform = requires { requires R::is_uniform; };
    static constexpr typename Base::Rules own_rules{&R::can_serve, &R::taken, &R::returned, &R::may_serve, is_uniform};
    static constexpr const typename Base::Rules& rules = []() -> const typename Base::Rules& {
        if constexpr (requires { R::lasting; })
            return R::lasting;
        else
            return own_rules;
    }();

protected:
    /// Taking and giving back in a single change of the word, which is the usual case while waiters are queued. If more would have to
    /// be done, they change nothing and return false. They are given the word as it was seen; `give_back_in_one_step` makes it what
    /// is left then. A taker that was woken clears its `duties`.
    bool take_in_one_step(typename R::Word seen, std::uint64_t amount, typename R::Word duties = 0) noexcept {
        for (int tries = 0; is_for_caller(seen) && R::can_serve(Base::state_of(seen), amount); ++tries) {
            const auto next = Base::with_state(seen, R::taken(Base::state_of(seen), amount)) & ~duties;
            if (Base::backs_off && !is_uniform && tries == 1)
                seen = this->reload_after_race();
            else if (this->word_.compare_exchange_weak(seen, next, std::memory_order_acquire,  // [lock-release]
                                                       std::memory_order_relaxed)) {           // the loop retries
                if (detail::release_notes().times_take) this->time_take();
                return true;
            }
        }
        return false;
    }
    bool give_back_in_one_step(typename R::Word& seen, std::uint64_t amount,
                               ResourceState most = ~ResourceState{0}) noexcept {
        while ((Base::release_relies_on_woken(seen) || (seen & (Base::has_waiters | Base::offered)) == 0) &&
               Base::state_of(seen) <= most) {
            auto next = Base::with_state(seen, R::returned(Base::state_of(seen), amount));
            if ((seen & Base::has_waiters) != 0) next += Base::release_unit;
            if (!this->word_.compare_exchange_weak(seen, next, std::memory_order_release,  // [lock-release]
                                                   std::memory_order_relaxed))             // the loop retries
                continue;
            if ((next & Base::has_waiters) != 0) ++detail::release_notes().releases;
            seen = next;
            return true;
        }
        return false;
    }

private:
    /// A state of more bits than the word has for it would be taken for bits of the arbiter.
    static constexpr ResourceState fitting(ResourceState state) noexcept {
        if constexpr (Base::state_mask < ~ResourceState{0})
            if (state > Base::state_mask) [[unlikely]]
                detail::contract_violated(
                    "futon::core::Arbiter: a state does not fit into a word of four bytes: it may be 0 to 3");
        return state;
    }

    /// [fifo] Whether a caller takes what can serve it. Where requests are not alike, what there is may be kept for the first in the
    /// queue, unless a woken thread is on its way.
    static constexpr bool is_for_caller(typename R::Word bits) noexcept {
        if constexpr (is_uniform)
            return !Base::must_queue(bits);
        else
            return Base::is_idle(bits) || Base::relies_on_woken(bits);
    }
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
