// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "harness/session.hpp"

// Threads that hold a lock for some time, beside a loop that wants it once in each turn, or beside loops that do not run. All
// of them sleep instead of computing: it is the lock that is measured, not how the system shares its processors.
namespace bench {

inline double milliseconds(Clock::duration length) {
    return nanoseconds(length) / 1e6;
}

/// A loop whose every turn takes some time, and which wants the lock in each, unless it waits for it still; and how it fared.
class Turns {
public:
    Turns(std::chrono::nanoseconds length, Clock::time_point end) : length_(length), end_(end) {}

    bool are_over() const { return Clock::now() >= end_; }

    /// What the loop does beside the lock.
    void take_one() {
        ++turns_;
        if (length_.count() != 0) std::this_thread::sleep_for(length_);
    }

    /// It wants the lock from now on.
    Clock::time_point request() {
        is_waiting_ = true;
        return Clock::now();
    }
    bool is_waiting() const { return is_waiting_; }
    bool may_request() const { return !is_waiting_ && !are_over(); }
    void acquired(Clock::time_point requested) {
        is_waiting_ = false;
        if (!are_over()) ++acquisitions_;
        longest_ = std::max(longest_, Clock::now() - requested);
    }

    double longest_ms() const { return milliseconds(longest_); }
    double per_turn() const { return static_cast<double>(acquisitions_) / static_cast<double>(std::max(turns_, 1)); }

private:
    std::chrono::nanoseconds length_;
    Clock::time_point end_;
    int turns_ = 0;
    int acquisitions_ = 0;
    bool is_waiting_ = false;
    Clock::duration longest_{};
};

/// Threads that take a lock again and again, and hold it for this long.
template <class Lock>
class Threads {
public:
    Threads(Lock& lock, int count, std::chrono::nanoseconds hold) : lock_(lock), hold_(hold) {
        for (int i = 0; i < count; ++i) threads_.emplace_back([this] { run(); });
    }

    /// They end once they have the lock for the last time.
    void stop() { is_over_ = true; }

    struct Share {
        double per_ms;      // acquisitions
        double longest_ms;  // that one of them waited
        double idle;        // the part of the time in which none of them held it
    };

    /// What they get meanwhile. The last wait counts as long as it has lasted, for it may be for ever.
    template <class F>
    Share during(F f) {
        const Clock::time_point begin = Clock::now();
        const std::uint64_t acquisitions = acquisitions_;
        const double held_ms = held_ms_;
        longest_ms_ = 0;
        f();
        const double length_ms = milliseconds(Clock::now() - begin);
        const double since_ms = milliseconds(Clock::now().time_since_epoch()) - last_ms_;
        return {static_cast<double>(acquisitions_ - acquisitions) / length_ms, std::max<double>(longest_ms_, since_ms),
                std::max(0.0, 1 - (held_ms_ - held_ms) / length_ms)};
    }

private:
    void run() {
        while (!is_over_) {
            const Clock::time_point requested = Clock::now();
            lock_.lock();
            const Clock::time_point begin = Clock::now();
            std::this_thread::sleep_for(hold_);
            const Clock::time_point end = Clock::now();
            // Written under the lock, read at any time.
            ++acquisitions_;
            longest_ms_ = std::max<double>(longest_ms_, milliseconds(begin - requested));
            held_ms_ = held_ms_ + milliseconds(end - begin);
            last_ms_ = milliseconds(end.time_since_epoch());
            lock_.unlock();
        }
    }

    Lock& lock_;
    std::chrono::nanoseconds hold_;
    std::atomic<std::uint64_t> acquisitions_{0};
    std::atomic<double> longest_ms_{0};
    std::atomic<double> held_ms_{0};
    std::atomic<double> last_ms_{milliseconds(Clock::now().time_since_epoch())};
    std::atomic<bool> is_over_{false};
    std::vector<std::jthread> threads_;  // the last member: they use the others
};

}  // namespace bench
