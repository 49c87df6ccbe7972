// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <vector>

#include "../harness/median.hpp"

namespace bench {

using Clock = std::chrono::steady_clock;

/// What the loop's callbacks tell the sender.
class Arrival {
public:
    /// `time` is when the callback began.
    void tell(Clock::time_point time = Clock::now()) {
        time_ = time;
        count_.fetch_add(1);
    }

    /// Microseconds from the call of `send` to the callback, once the loop had time to fall asleep.
    template <class F>
    double time_of(F&& send) {
        const int before = count_;
        const auto pause_end = Clock::now() + std::chrono::microseconds(40);
        while (Clock::now() < pause_end) {
        }
        const auto begin = Clock::now();
        send();
        while (count_ == before) {
        }
        return std::chrono::duration<double, std::micro>(time_ - begin).count();
    }

private:
    Clock::time_point time_;
    std::atomic<int> count_{0};
};

/// Measures two ways by turns, and prints the medians and the median of the ratios of the blocks, which what else the machine
/// does weighs on alike.
template <class F, class G>
void compare(const char* ours, F&& our_way, const char* theirs, G&& their_way) {
    constexpr int blocks = 100;
    constexpr int samples = 100;
    std::vector<double> ratios;
    std::vector<double> all[2];
    for (int block = 0; block < blocks; ++block) {
        std::vector<double> here[2];
        for (int i = 0; i < samples; ++i) {
            here[0].push_back(our_way());
            here[1].push_back(their_way());
        }
        for (std::size_t way = 0; way < 2; ++way) all[way].insert(all[way].end(), here[way].begin(), here[way].end());
        ratios.push_back(median(here[0]) / median(here[1]));
    }
    std::printf("%-28s %8.2f us\n%-28s %8.2f us\nratio %.3f\n", ours, median(all[0]), theirs, median(all[1]),
                median(ratios));
}

}  // namespace bench
