// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>

#include "platform/clock.hpp"

namespace futon::detail {

/// How long a turn of a loop may take. A clock may cost more than a job, so it is asked after 1, 2, 4, … jobs, while they are short.
class TurnLimit {
public:
    /// The time of a turn beside which a host is to go on.
    static constexpr std::chrono::milliseconds usual{4};

    TurnLimit() noexcept = default;
    /// Asks the clock after each job.
    explicit TurnLimit(std::chrono::nanoseconds longest) noexcept : longest_(longest), most_jobs_(1) {}

    /// After each job behind which there is another.
    bool is_over() noexcept {
        if (--left_ > 0) return false;
        const auto time = platform::now();
        const bool are_short = time - reading_ < between_readings;
        jobs_ = are_short ? std::min(2 * jobs_, most_jobs_) : 1;
        left_ = jobs_;
        reading_ = time;
        return time - begin_ >= longest_;
    }

private:
    static constexpr std::chrono::microseconds between_readings{250};

    const std::chrono::nanoseconds longest_ = usual;
    const int most_jobs_ = 32;
    const std::chrono::steady_clock::time_point begin_ = platform::now();
    std::chrono::steady_clock::time_point reading_ = begin_;
    int jobs_ = 1;  // between this reading and the one before
    int left_ = 1;  // until the next
};

}  // namespace futon::detail
