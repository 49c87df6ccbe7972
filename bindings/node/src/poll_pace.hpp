// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <utility>

#include <futon/core/pace.hpp>

namespace futon::node {

/// Tells the pace of a loop of libuv when it looks at what was posted to it, and when it sleeps.
///
/// Such a loop sleeps in its poll. Callbacks of sockets run within the poll, and no code can tell that it has woken up before the
/// first of them. But libuv counts how long its polls have waited: later in the poll, and after it, one knows when the turn began.
///
/// A loop whose sockets keep it busy sleeps only briefly between its jobs: it *naps*. Jobs and naps are told as one turn, or an
/// arbiter would take the loop for asleep while it computes.
///
/// Threads  the loop's own
class PollPace {
public:
    using Time = core::Pace::Time;

    explicit PollPace(core::Pace& pace) noexcept : pace_(pace) {}

    /// The loop takes what was posted.
    void look(Time now) noexcept {
        if (looked_ == 0) pace_.will_tell();
        if (now - looked_ >= least_turn) note_look(now);
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
        is_polling_ = is_asleep_ = false;
    }

    /// Whether the end of a poll is to be told.
    bool is_polling() const noexcept { return is_polling_; }

    void after_poll(Time now, Time waited) noexcept {
        wake_up(waited);
        is_polling_ = false;
        const Time wait = waited - waited_;
        if (!may_wait_) {
            if (wait < core::Pace::usual_offer) return;
            // It slept though libuv said that it would not, as it does once for each new watcher.
            pace_.fall_asleep(polled_);
            return note_look(polled_ + wait);
        }
        const Time work = now - std::min(now, polled_ + wait);  // libuv reads its own clock
        // A loop that is not told to count counts no wait.
        const bool was_nap = wait != 0 && 2 * wait < work && work > core::Pace::usual_offer;
        if (naps_ && !was_nap) {  // it slept, so what was taken for one turn is none
            pace_.fall_asleep(polled_);
            note_look(polled_ + wait);
        }
        // A loop that is not awaited tells nothing of one that is: it may wait for the lock alone then.
        if (is_awaited_) naps_ = was_nap;
    }

private:
    // A shorter turn has taken what was posted, and no more: it says nothing about a turn that has a job.
    static constexpr Time least_turn = core::Pace::usual_offer / 2;

    void note_look(Time now) noexcept {
        looked_ = now;
        pace_.look(now);
    }

    core::Pace& pace_;
    Time looked_ = 0;  // as others were told; zero where they were not
    Time polled_ = 0;  // when the last poll began
    Time waited_ = 0;  // in all polls before it
    bool is_polling_ = false;
    bool may_wait_ = false;
    bool is_awaited_ = false;
    bool is_asleep_ = false;
    bool naps_ = false;
};

}  // namespace futon::node
