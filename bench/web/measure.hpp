// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <vector>

#include <futon/futon.hpp>

#include "../harness/median.hpp"

/// Measurements on the main thread of an engine: each is a coroutine, for nothing may block there.
namespace futon::bench {

using ::bench::median;

/// Prints one line of the table.
void say(const char* subject, const char* text);

/// Futon's time and its rival's, in microseconds, block by block in turn: what disturbs one disturbs both.
struct Comparison {
    std::vector<double> ours;
    std::vector<double> theirs;
};

/// The medians, and the median of the blocks' ratios.
void say(const char* subject, const char* rival, const Comparison& comparison);

class Stopwatch {
public:
    double microseconds() const {
        return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin_).count();
    }

private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

Promise<void> measure_page_and_thread();
Promise<void> measure_two_threads();
Promise<void> measure_frames();
Promise<void> measure_turns();

}  // namespace futon::bench
