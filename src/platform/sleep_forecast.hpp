// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <utility>

#include "platform/clock.hpp"
#include "platform/spin.hpp"

namespace futon::platform {

/// Whether the next sleep of a thread will be short: as its last one was. Before a short sleep it polls for what will wake it.
class SleepForecast {
public:
    /// Called before each sleep, which ends at the deadline at the latest. If it will be short, calls `poll` now and then until
    /// it returns true, or until sleeping costs no more. Returns whether `poll` returned true.
    template <class Poll>
    bool spin(std::chrono::steady_clock::time_point deadline, Poll&& poll) noexcept {
        begin_ = now();
        if (!is_short_ || begin_ + short_sleep >= deadline) {
            was_in_vain_ = false;
            return false;
        }
        const bool succeeded = spin_yielding_until(std::forward<Poll>(poll), longest_polls);
        was_in_vain_ = !succeeded;
        if (succeeded) woken();  // later than it seems, where the thread has lost its processor meanwhile
        return succeeded;
    }

    /// Called after each sleep. After polls in vain the next sleep has none: else sleeps that are all somewhat longer than the
    /// polls would have them each time.
    void woken() noexcept {
        const bool was_short = now() - begin_ < short_sleep;
        is_short_ = was_short && !was_in_vain_;
    }
    void timed_out() noexcept { is_short_ = false; }

private:
    /// To fall asleep and to be woken takes some ten microseconds of it, so a thread that is woken so soon could as well have polled.
    static constexpr std::chrono::microseconds short_sleep{25};

    /// Some microseconds of processor time go into falling asleep, being woken, and waking: polls take hardly more.
    /// docs/decisions/0091-poll-before-a-short-sleep.md shows the effect of other numbers.
    static constexpr std::chrono::microseconds longest_polls{7};

    std::chrono::steady_clock::time_point begin_{};
    bool is_short_ = false;
    bool was_in_vain_ = false;
};

}  // namespace futon::platform
