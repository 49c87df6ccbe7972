// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>

#include <futon/detail/atomic.hpp>
#include <futon/detail/export.hpp>

namespace futon::core {

/// When a loop comes to its jobs: what an arbiter knows of a loop before it offers a resource to one of its tasks.
///
/// A loop *looks* when it takes what was posted to it, once a turn. An offer that is made in the middle of a turn keeps the
/// resource idle until the next look. So threads go first, and the resource is kept for the loop only from the last release
/// before the look that is predicted: the last look and the length of a turn.
///
/// A loop that cannot tell when it looks is known by its arrivals: that a task comes to what it was given is a look.
///
/// These are estimates. They decide who is preferred, and how long an offer lasts; no rule of a resource depends on them.
///
/// Threads  any. `will_tell`, `look` and `fall_asleep` are called by the threads that run the loop.
/// Cost     64 bytes a loop. A look costs one load where no arbiter has asked for the loop lately, else it reads the clock
class FUTON_API Pace {
public:
    /// Of the clock that all threads share, in nanoseconds; zero is no time.
    using Time = std::uint64_t;

    /// How long an offer lasts where nothing is known, and how long a loop that sleeps may take to come.
    static constexpr Time usual_offer = 1'000'000;

    /// A turn that took more than this is an exception (a dialog, a debugger): it is not learnt.
    static constexpr Time longest_turn = 250'000'000;

    /// What an arbiter does with a task of the loop.
    enum class Plan : std::uint8_t {
        serve,  ///< its loop comes at once, as far as is known: it is offered what it asks for until `until`, or woken
        offer,  ///< its loop is about to look: it is offered what it asks for until `until`
        later,  ///< its loop is in the middle of a turn: it stays queued, and others go first
        call    ///< no one knows when its loop will look: it is woken, and nothing is kept for it
    };
    /// The plan for a task.
    struct Prospect {
        Plan plan = Plan::serve;  ///< what to do
        Time until = 0;           ///< when an offer expires
        bool is_rare = false;     ///< the offer waits for the longest turn of late, not for one like the last
    };

    /// What time it is.
    static Time now() noexcept;

    /// The loop will tell whenever it looks, and whenever it falls asleep.
    void will_tell() noexcept;

    /// The loop takes what was posted.
    void look(Time now) noexcept;

    /// The loop sleeps until something is posted.
    void fall_asleep(Time now) noexcept;

    /// Whether an arbiter has asked for the loop lately. Where none has, looks need not be noted.
    bool is_wanted() const noexcept { return wanted_.load(std::memory_order_relaxed) != 0; }  // a statistic

    /// A task of the loop that was given something has come to it.
    void came(Time now) noexcept;

    /// A task of the loop has been run: where something was given to one, it came.
    void note_arrival() noexcept {
        if (is_relied_on()) came(now());
    }

    /// Whether something that the loop was given has not been come to.
    bool is_relied_on() const noexcept { return relied_until_.load() != 0; }

    /// What to do with a task that has waited since then. An offer may keep the resource idle for a seventh of that time, for
    /// less within the first turns, and for more after offers in vain; where the order is strict, until the loop looks.
    Prospect prospect(Time now, Time since, bool is_strict) noexcept;

    /// A task of the loop is given something: the loop is expected to come until then.
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

    Statistic look_{0};          // when it looked last, or fell asleep; zero where it is not known
    Statistic relied_until_{0};  // zero where it has come to all that it was given
    Statistic relied_at_{0};     // when it was given that
    Statistic spent_{0};         // when it took something last, or an offer to it was in vain
    Statistic rare_{0};          // when an offer waited for its longest turn last
    Short turn_{0};              // the length of the last turn
    Short longest_turn_{0};      // of late
    Small vains_{0};             // offers in vain, in a row
    Small is_slow_{0};           // it was longer than the usual offer on its way to what it was given last
    Small tells_look_{0};        // it has said that it looks: so arrivals are none
    Small tells_sleep_{0};       // it has said that it sleeps, so it is known not to
    Small wanted_{0};            // two once an arbiter has asked, one once the loop has noted that
    Statistic wanted_since_{0};  // the loop's
};

static_assert(sizeof(Pace) == 64);

}  // namespace futon::core

#include <futon/detail/end.hpp>
