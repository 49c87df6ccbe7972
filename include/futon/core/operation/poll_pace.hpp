// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <algorithm>
#include <utility>

#include <futon/core/operation/pace.hpp>

namespace futon::core {

/// Tells a Pace when a loop that another library runs looks at what was posted to it, and when it sleeps. For adapters; a
/// HostedLoop has one.
///
/// There are two kinds of loops. One tells when its poll begins to wait, and when it runs code again: it calls `fall_asleep` and
/// `wake_up_now`. The other, as libuv's, runs callbacks of sockets within the poll, and no code can tell that it has woken up before
/// the first of them. But it counts how long its polls have waited: later in the poll, and after it, one knows when the turn began.
/// It calls `before_poll`, `wake_up` and `after_poll`.
///
/// A loop whose sockets keep it busy sleeps only briefly between its jobs: it *naps*. If what was posted has to wait for those jobs,
/// jobs and naps are told as one turn, or an arbiter would take the loop for one that comes at once.
///
/// Threads  the loop's own
/// Cost     no clock is read here. Call the functions only while `is_wanted()`
class PollPace {
public:
    /// Nanoseconds of the clock of `Pace`.
    using Time = Pace::Time;

    /// A shorter turn has taken what was posted, and no more: it says nothing about a turn that has a job.
    static constexpr Time least_turn = Pace::usual_offer / 2;

    explicit PollPace(Pace& pace) noexcept : pace_(pace) {}

    /// Whether an arbiter has asked for the loop lately.
    bool is_wanted() const noexcept { return pace_.is_wanted(); }

    /// The loop takes what was posted.
    void look(Time now) noexcept {
        if (const Time woke = std::exchange(woke_, 0); woke != 0) learn_nap(woke - polled_, now - woke);
        note_turn(now);
    }

    /// The loop waits from now on, and runs no code before `wake_up_now`; `is_awaited` is whether others may ask for it meanwhile.
    void fall_asleep(Time now, bool is_awaited) noexcept {
        note_turn(now);
        polled_ = now;
        woke_ = 0;
        is_polling_ = true;
        is_awaited_ = is_awaited;
        is_asleep_ = !naps_;
        pace_.will_tell();
        if (is_asleep_) pace_.fall_asleep(now);
    }
    void wake_up_now(Time now) noexcept {
        if (!std::exchange(is_polling_, false)) return;
        woke_ = now;
        if (naps_ && now - polled_ > Pace::usual_offer) pace_.fall_asleep(polled_);  // it was no nap
        if (std::exchange(is_asleep_, false) || now - polled_ > Pace::usual_offer) note_look(now);
    }

    /// The loop polls next, and has looked before. `waited` is how long all its polls have waited by now; `may_wait` is whether this
    /// one finds nothing to do at once; `is_awaited` is whether others may ask for this loop meanwhile.
    void before_poll(Time now, Time waited, bool may_wait, bool is_awaited) noexcept {
        polled_ = now;
        waited_ = waited;
        is_polling_ = true;
        may_wait_ = may_wait;
        is_awaited_ = is_awaited;
        is_asleep_ = may_wait && !naps_;
        pace_.will_tell();
        if (is_asleep_) pace_.fall_asleep(now);
    }

    /// Whether others were told that it sleeps, and not yet that it has woken up.
    bool is_asleep() const noexcept { return is_asleep_; }

    /// Code of the loop runs.
    void wake_up(Time waited) noexcept {
        if (std::exchange(is_asleep_, false)) note_look(polled_ + (waited - waited_));
    }

    /// Between these the loop takes at once what its own thread gives it, as one does that sleeps.
    void begin_call() noexcept {
        if (looked_ != 0) pace_.fall_asleep(looked_);
    }
    void end_call() noexcept {
        if (looked_ != 0) pace_.look(looked_);
    }

    /// Others do not ask any more.
    void forget() noexcept {
        looked_ = 0;
        woke_ = 0;
        is_polling_ = is_asleep_ = false;
    }

    /// Whether the end of a poll is to be told.
    bool is_polling() const noexcept { return is_polling_; }

    /// The poll is over; the loop has waited in polls for `waited` in all.
    void after_poll(Time now, Time waited) noexcept {
        wake_up(waited);
        is_polling_ = false;
        const Time wait = waited - waited_;
        if (!may_wait_) {
            if (wait < Pace::usual_offer) return;
            // It slept though libuv said that it would not, as it does once for each new watcher.
            pace_.fall_asleep(polled_);
            return note_look(polled_ + wait);
        }
        const Time work = now - std::min(now, polled_ + wait);  // libuv reads its own clock
        if (naps_ && !is_nap(wait, work)) {                     // it slept, so what was taken for one turn is none
            pace_.fall_asleep(polled_);
            note_look(polled_ + wait);
        }
        learn_nap(wait, work);
    }

private:
    // A loop that is not told to count counts no wait.
    static bool is_nap(Time wait, Time work) noexcept {
        return wait != 0 && 2 * wait < work && work > Pace::usual_offer;
    }
    // A loop that is not awaited tells nothing of one that is: it may wait for the lock alone then.
    void learn_nap(Time wait, Time work) noexcept {
        if (is_awaited_) naps_ = is_nap(wait, work);
    }

    void note_turn(Time now) noexcept {
        if (std::exchange(is_asleep_, false) || now - looked_ >= least_turn) note_look(now);
    }
    void note_look(Time now) noexcept {
        looked_ = now;
        pace_.look(now);
    }

    Pace& pace_;
    Time looked_ = 0;  // as others were told; zero where they were not
    Time polled_ = 0;  // when the last poll began
    Time waited_ = 0;  // in all polls before it
    Time woke_ = 0;    // from it; zero where that is not known, or the loop has looked since
    bool is_polling_ = false;
    bool may_wait_ = false;
    bool is_awaited_ = false;
    bool is_asleep_ = false;
    bool naps_ = false;
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
