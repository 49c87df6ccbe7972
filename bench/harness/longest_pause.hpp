// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>

namespace bench {

/// The longest of many pauses of one thread, in nanoseconds: as it is, and without the time for which the thread was
/// ready to run but had no processor. What other threads of the machine cause is in the first only, but for what they do
/// to a thread that this one waits for.
class LongestPause {
public:
    void add(double pause) {
        longest_ = std::max(longest_, pause);
        if (pause < least_of_interest) {
            own_ = std::max(own_, pause);
            return;
        }
        const double delay = delay_of_this_thread();
        own_ = std::max(own_, std::max(0.0, pause - (delay - delay_)));
        delay_ = delay;
    }

    double as_it_is() const { return longest_; }
    double with_processor() const { return own_; }

private:
    // Asking for the delay takes about as long.
    static constexpr double least_of_interest = 20'000;

    /// How long this thread has waited for a processor, in all; 0 if the system does not say.
    static double delay_of_this_thread() {
        std::ifstream file("/proc/thread-self/schedstat");
        std::uint64_t running = 0;
        std::uint64_t waiting = 0;
        file >> running >> waiting;
        return file ? static_cast<double>(waiting) : 0;
    }

    double longest_ = 0;
    double own_ = 0;
    double delay_ = delay_of_this_thread();
};

}  // namespace bench
