// SPDX-License-Identifier: MIT
//
// Time-outs of both kinds of wait. A deadline is a time point, made from any chrono duration; it never comes early.
// Not a number and infinity mean for ever, zero and less mean at once.
//
// Prints:
//     blocking: timed-out, not early
//     promise:  timed-out, not early
//     NaN and infinity never come, -1 ms has come

#include <atomic>
#include <chrono>
#include <iostream>
#include <limits>

#include <futon/futon.hpp>

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;
using futon::WaitResult;

namespace {

std::atomic<int> word{0};  // which is never notified

bool report(const char* kind, WaitResult result, bool is_early) {
    std::cout << kind << to_string(result) << (is_early ? ", EARLY\n" : ", not early\n");
    return result == WaitResult::timed_out && !is_early;
}

bool block_for_a_while() {
    const auto time = Clock::now() + 10ms;
    const WaitResult result = futon::wait(word, 0, time);  // a time point, or
    return report("blocking: ", result, Clock::now() < time);
}

bool promise_for_a_while() {
    futon::EventLoop loop;
    const auto begin = Clock::now();
    auto answer = futon::wait_async(word, 0, 10ms);  // a duration
    const WaitResult result = loop.run_until(answer.promise());
    return report("promise:  ", result, Clock::now() - begin < 10ms);
}

bool ask_odd_durations() {
    const auto not_a_number = futon::Deadline(Milliseconds(std::numeric_limits<double>::quiet_NaN()));
    const auto infinite = futon::Deadline(Milliseconds(std::numeric_limits<double>::infinity()));
    const auto negative = futon::Deadline(-1ms);
    std::cout << "NaN and infinity never come, -1 ms has come\n";
    return not_a_number.is_never() && infinite.is_never() && negative.is_due() &&
           futon::wait(word, 0, negative) == WaitResult::timed_out;
}

}  // namespace

int main() {
    const bool is_right = block_for_a_while() && promise_for_a_while() && ask_odd_durations();
    return is_right ? 0 : 1;
}
