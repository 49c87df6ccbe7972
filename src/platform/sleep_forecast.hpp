// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <utility>

#include "platform/clock.hpp"
#include "platform/parker.hpp"
#include "platform/spin.hpp"

namespace futon::platform {

/// Which sleeps are short, and how long to poll before one.
///
/// To fall asleep and to be woken takes some ten microseconds, of which some are processor time: polls are to take hardly more. Where
/// to wake a thread takes long, to be woken takes about three times as long as the call that wakes it, and two threads that wake
/// each other have two such calls in each of their sleeps. docs/decisions/0091-poll-before-a-short-sleep.md and
/// docs/decisions/0095-poll-for-as-long-as-a-wake-takes.md show the effect of other numbers.
struct SleepLimits {
    std::chrono::microseconds short_sleep;
    std::chrono::microseconds longest_polls;

    static constexpr SleepLimits of(std::chrono::nanoseconds wake_time) noexcept {
        const auto wake = std::chrono::duration_cast<std::chrono::microseconds>(wake_time);
        using std::chrono::microseconds;
        return {std::clamp(8 * wake, microseconds{25}, microseconds{150}),
                std::clamp(3 * wake, microseconds{7}, microseconds{50})};
    }
};

/// Whether the next sleep of a thread will be short: as its last one was. Before a short sleep it polls for what will wake it.
class SleepForecast {
public:
    /// Called before each sleep, which ends at the deadline at the latest. If it will be short, calls `poll` now and then until
    /// it returns true, or until sleeping costs no more. Returns whether `poll` returned true.
    template <class Poll>
    bool spin(std::chrono::steady_clock::time_point deadline, Poll&& poll) noexcept {
        begin_ = now();
        if (!is_short_ || begin_ + limits().short_sleep >= deadline) {
            was_in_vain_ = false;
            return false;
        }
        bool has_polled = false;  // else spinning does not pay now, and nothing was in vain
        const bool succeeded = spin_yielding_until(
            [&] {
                has_polled = true;
                return poll();
            },
            limits().longest_polls, begin_);
        was_in_vain_ = has_polled && !succeeded;
        if (was_in_vain_) Parker::wake_time().note_vain_polls();
        return succeeded;
    }

    /// Called after each sleep, but not after polls that succeeded: those count as short. After polls in vain the next sleep has none:
    /// else sleeps that are all somewhat longer than the polls would have them each time.
    void woken() noexcept { is_short_ = now() - begin_ < limits().short_sleep && !was_in_vain_; }
    void timed_out() noexcept { is_short_ = false; }

private:
    [[gnu::noinline]] static SleepLimits limits() noexcept { return SleepLimits::of(Parker::wake_time().estimate()); }

    std::chrono::steady_clock::time_point begin_{};
    bool is_short_ = false;
    bool was_in_vain_ = false;
};

}  // namespace futon::platform
