// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <utility>

#include <futon/core/operation/pace.hpp>

namespace futon::detail {

/// Tells the pace of a loop that an engine runs turn by turn, as in a page, when it looks and when it sleeps.
///
/// Between two turns the engine may draw, call other functions of the program, or do nothing. No code can tell which. So while a task
/// of the loop waits, and arbiters ask, the loop has itself called again soon. A call that comes late was held up by a job of the
/// engine, which has just ended. One that comes in time shows that the engine does nothing.
///
/// Jobs of the engine, and turns of the loop, are told as turns; those shorter than `least_turn` as sleep. What follows on one another
/// closely is one turn.
///
/// Threads  the loop's own
class EnginePace {
public:
    using Time = core::Pace::Time;

    static constexpr Time never = ~Time{0};

    explicit EnginePace(core::Pace& pace) noexcept : pace_(pace) {}

    /// A job of the engine has begun a wait on the loop, which is to be called when that job is over.
    void enter(Time now) noexcept {
        if (is_late(now)) {
            wake_up(due_);
        } else {
            wake_up(now);
            due_ = std::min(due_, now);
        }
    }

    /// The engine calls.
    void begin_turn(Time now) noexcept {
        if (is_late(now)) {
            wake_up(due_);
            return note_look(now);
        }
        if (due_ <= now) is_asleep_ = true;
        if (!is_asleep_ && now - looked_ < least_turn) return;
        if (looked_ != 0) pace_.fall_asleep(looked_);  // the time since then was no turn
        note_look(now);
    }

    /// The loop has run what there was. Returns how soon it is to be called again; never, if none of its tasks waits.
    Time end_turn(Time now, bool is_awaited) noexcept {
        if (now - looked_ >= least_turn) {
            is_asleep_ = false;
            note_look(now);
        }
        if (!is_awaited) is_asleep_ = true;  // what the engine does until the next wait begins is no turn
        if (is_asleep_) pace_.fall_asleep(now);
        if (!is_awaited) return due_ = never;
        const Time delay = is_asleep_ ? look_of_sleeper : look_of_busy;
        due_ = now + delay;
        return delay;
    }

    /// Arbiters do not ask any more.
    void forget() noexcept {
        looked_ = 0;
        due_ = never;
        is_asleep_ = false;
    }

private:
    static constexpr Time least_turn = core::Pace::usual_offer;  // an offer lasts as long, so it need not be foreseen
    // A page that draws frame after frame has less than this between them. While it sleeps, a job that is longer than the second shows.
    static constexpr Time look_of_busy = 2'000'000;
    static constexpr Time look_of_sleeper = 4'000'000;

    bool is_late(Time now) const noexcept { return due_ != never && now > due_ + least_turn; }

    void wake_up(Time since) noexcept {
        if (std::exchange(is_asleep_, false) || looked_ == 0) note_look(since);
    }
    void note_look(Time now) noexcept {
        if (looked_ == 0) pace_.will_tell();
        looked_ = now;
        pace_.look(now);
    }

    core::Pace& pace_;
    Time looked_ = 0;  // as arbiters were told; zero where they were not
    Time due_ = never;
    bool is_asleep_ = false;
};

}  // namespace futon::detail
