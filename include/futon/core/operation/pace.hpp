// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>

#include <futon/detail/atomic.hpp>
#include <futon/detail/export.hpp>

namespace futon::core {

/// When a loop will look at its jobs: what an arbiter knows about a loop before it offers a resource to one of its tasks.
///
/// A loop *looks* when it takes what was posted to it, once a turn. An offer in the middle of a turn would keep the resource idle
/// until the next look. So threads go first, and the resource is kept for the loop only from the last release before the predicted
/// look, which is the last look plus the length of a turn.
///
/// Some loops cannot tell when they look. For those, the arrival of a task at what it was given counts as a look.
///
/// These are estimates. They decide which waiter is preferred and how long an offer lasts; no rule of a resource depends on them.
///
/// Threads  any. `will_tell`, `look` and `fall_asleep`: the threads that run the loop
/// Cost     64 bytes a loop. A look costs one load if no arbiter has lately asked for the loop; else it reads the clock
class FUTON_API Pace {
public:
    /// Nanoseconds of a clock that all threads share; zero means no time.
    using Time = std::uint64_t;

    /// How long an offer lasts if nothing is known of the loop, and how long a sleeping loop may take to look.
    static constexpr Time usual_offer = 1'000'000;

    /// A longer turn is an exception (a dialog, a debugger), from which nothing is learnt.
    static constexpr Time longest_turn = 250'000'000;

    /// What an arbiter does with a task of the loop.
    enum class Plan : std::uint8_t {
        serve,  ///< its loop will look at once, as far as is known: it is offered what it asks for until `until`, or woken
        offer,  ///< its loop is about to look: it is offered what it asks for until `until`
        later,  ///< its loop is in the middle of a turn: it stays queued, and others go first
        call    ///< it is not known when its loop will look: it is woken, and nothing is kept for it
    };
    /// The plan for a task.
    struct Prospect {
        Plan plan = Plan::serve;  ///< what to do
        Time until = 0;           ///< when an offer expires
        bool is_rare = false;     ///< the offer lasts for the longest recent turn, not for one like the last
    };

    /// The time now.
    static Time now() noexcept;

    /// Says that the loop will tell whenever it looks, and whenever it falls asleep.
    void will_tell() noexcept;

    /// Says that the loop takes what was posted.
    void look(Time now) noexcept;

    /// Says that the loop sleeps until something is posted.
    void fall_asleep(Time now) noexcept;

    /// Whether an arbiter has lately asked for the loop. If not, looks need not be noted.
    bool is_wanted() const noexcept { return wanted_.load(std::memory_order_relaxed) != 0; }  // a statistic

    /// Says that a task of the loop has arrived at what it was given.
    void came(Time now) noexcept;

    /// Says that a task of the loop has run. If one was given something, it has arrived.
    void note_arrival() noexcept {
        if (is_relied_on()) came(now());
    }

    /// Whether a task of the loop has yet to arrive at what it was given.
    bool is_relied_on() const noexcept { return relied_until_.load() != 0; }

    /// What to do with a task that has waited since `since`. An offer may keep the resource idle for a seventh of that wait: for less
    /// within the first turns, for more after offers in vain, and until the loop looks if the order is strict.
    Prospect prospect(Time now, Time since, bool is_strict) noexcept;

    /// Says that a task of the loop is given something, and that the loop is expected to look by `until`.
    void rely(Time now, Time until, bool is_rare = false) noexcept;

private:
    using Statistic = detail::Atomic<Time>;
    using Short = detail::Atomic<std::uint32_t>;  // no longer than the longest turn
    using Small = detail::Atomic<std::uint8_t>;

    // The lowest bit of `look_`.
    static constexpr Time asleep = 1;

    void note_look(Time now) noexcept;
    Time allowance(Time now, Time since) const noexcept;
    Prospect in_turn(Time now, Time begin, Time turn, Time allowance) const noexcept;

    Statistic look_{0};          // when it last looked or fell asleep; zero if that is not known
    Statistic relied_until_{0};  // zero if its tasks have arrived at all that they were given
    Statistic relied_at_{0};     // when they were given it
    Statistic spent_{0};         // when it last took something, or an offer to it was in vain
    Statistic rare_{0};          // when an offer last lasted for its longest turn
    Short turn_{0};              // the length of the last turn
    Short longest_turn_{0};      // of the recent ones
    Small vains_{0};             // offers in vain, in a row
    Small is_slow_{0};           // it took longer than the usual offer to look at what it was last given
    Small tells_look_{0};        // it has said when it looks, so arrivals do not count as looks
    Small tells_sleep_{0};       // it has said when it sleeps, so it is known when it does not
    Small wanted_{0};            // two after an arbiter has asked, one after the loop has noted it
    Statistic wanted_since_{0};  // the loop's own
};

static_assert(sizeof(Pace) == 64);

}  // namespace futon::core

#include <futon/detail/end.hpp>
