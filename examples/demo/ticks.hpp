// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

/// How well a thread keeps a tick of one millisecond.
class Ticks {
public:
    static constexpr std::chrono::milliseconds period{1};

    explicit Ticks(std::chrono::steady_clock::time_point begin) : next_(begin + period) {}

    /// When the next tick is due.
    std::chrono::steady_clock::time_point next() const { return next_; }

    /// Counts one tick, and skips those that have passed by meanwhile: each of them is a tick missed.
    void count(std::chrono::steady_clock::time_point now) {
        const auto lateness = now - next_;
        latest_ = std::max(latest_, lateness);
        ++kept_;
        const auto passed_by = std::max<std::int64_t>(0, lateness / period);
        missed_ += passed_by;
        next_ += period * (passed_by + 1);
    }

    std::int64_t kept() const { return kept_; }
    std::int64_t missed() const { return missed_; }
    std::chrono::steady_clock::duration latest() const { return latest_; }

private:
    std::chrono::steady_clock::time_point next_;
    std::chrono::steady_clock::duration latest_{};
    std::int64_t kept_ = 0;
    std::int64_t missed_ = 0;
};
