// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>

namespace futon::platform {

/// A time point of the steady clock, which is CLOCK_MONOTONIC here, as the kernel takes it. One before the clock's
/// beginning becomes that beginning, which has passed.
inline timespec to_timespec(std::chrono::steady_clock::time_point time_point) noexcept {
    using namespace std::chrono;
    const nanoseconds since_epoch = std::max(time_point.time_since_epoch(), steady_clock::duration::zero());
    const seconds whole = floor<seconds>(since_epoch);
    timespec result{};
    result.tv_sec = static_cast<time_t>(whole.count());
    result.tv_nsec = static_cast<long>((since_epoch - whole).count());
    return result;
}

}  // namespace futon::platform
