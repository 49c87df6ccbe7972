// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <limits>

namespace futon::platform {

/// A time point of the steady clock, which is CLOCK_MONOTONIC here, in seconds and nanoseconds. One before the clock's
/// beginning becomes that beginning, which has passed.
struct TimeParts {
    explicit TimeParts(std::chrono::steady_clock::time_point time_point) noexcept {
        using namespace std::chrono;
        const auto since_epoch = std::max(time_point.time_since_epoch(), steady_clock::duration::zero());
        const auto whole = floor<std::chrono::seconds>(since_epoch);
        seconds = whole.count();
        nanoseconds = (since_epoch - whole).count();
    }

    std::int64_t seconds;
    std::int64_t nanoseconds;
};

/// As the C library expects it. If its time_t has 32 bits, a time point that is more than 68 years away comes after 68
/// years.
inline timespec to_timespec(std::chrono::steady_clock::time_point time_point) noexcept {
    const TimeParts time(time_point);
    timespec result{};
    result.tv_sec = static_cast<time_t>(std::min<std::int64_t>(time.seconds, std::numeric_limits<time_t>::max()));
    result.tv_nsec = static_cast<decltype(result.tv_nsec)>(time.nanoseconds);
    return result;
}

}  // namespace futon::platform
