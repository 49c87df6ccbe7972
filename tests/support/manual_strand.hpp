// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

#include <futon/core/loop/timer_wheel.hpp>

#include "support/queue_executor.hpp"

namespace futon::test {

/// An executor whose jobs and timers run when the test says so, on the thread that says so. It gives posted jobs back.
class ManualStrand final : public QueueExecutor {
public:
    bool retract(Job& job) noexcept override { return remove(job); }

    bool keeps_timers() const noexcept override { return true; }
    void arm(Timer& timer, std::chrono::steady_clock::time_point time) noexcept override {
        ++armed;
        timers_.arm(timer, time);
    }
    void disarm(Timer& timer) noexcept override {
        --armed;
        timers_.disarm(timer);
    }

    void work_started() noexcept override { ++pending; }
    void work_finished() noexcept override { --pending; }

    /// Fires the timers that are due by `time`.
    void advance(std::chrono::steady_clock::time_point time) { timers_.advance(time); }

    int pending = 0;  ///< waits that have begun, and not ended
    int armed = 0;    ///< timers that were armed, and not disarmed

private:
    core::TimerWheel timers_{std::chrono::steady_clock::now()};
};

}  // namespace futon::test
