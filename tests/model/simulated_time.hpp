// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>

#include <futon/core/operation/pace.hpp>
#include <futon/explorer/kernel.hpp>

namespace futon::test {

/// What happens at which time, one after the other on one thread; the library's clocks show that time. In milliseconds.
class SimulatedTime {
protected:
    SimulatedTime() { set_clock(); }

    void at(double time, std::function<void()> action) { events_.push({time, ++numbers_, std::move(action)}); }

    void set_clock() const {
        using Nanoseconds = std::chrono::nanoseconds;
        explorer::set_clock_outside(std::chrono::steady_clock::time_point(
            std::chrono::hours(1) + Nanoseconds(static_cast<std::int64_t>(now_ * 1e6))));
    }
    core::Pace::Time time() const {
        return static_cast<core::Pace::Time>(explorer::virtual_now().time_since_epoch().count());
    }

    /// All until then.
    void run_events(double end) {
        while (!events_.empty() && events_.top().time <= end) {
            const Event event = events_.top();
            events_.pop();
            now_ = event.time;
            set_clock();
            event.action();
        }
        now_ = end;
    }

    double now_ = 1;

private:
    struct Event {
        double time;
        std::uint64_t number;
        std::function<void()> action;
        bool operator<(const Event& other) const {
            return std::pair(time, number) > std::pair(other.time, other.number);
        }
    };

    std::uint64_t numbers_ = 0;
    std::priority_queue<Event> events_;
};

}  // namespace futon::test
