// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <vector>

namespace kv {

/// The times that requests took.
class Statistics {
public:
    using Duration = std::chrono::steady_clock::duration;

    void add(Duration time) { times_.push_back(time); }
    std::size_t count() const { return times_.size(); }

    /// The time that this part of the requests did not exceed, 0.99 for example, in milliseconds; 0 if there are none.
    double quantile(double part) {
        if (times_.empty()) return 0;
        const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(times_.size())));
        const std::size_t index = std::clamp<std::size_t>(rank, 1, times_.size()) - 1;
        const auto at = times_.begin() + static_cast<std::ptrdiff_t>(index);
        std::nth_element(times_.begin(), at, times_.end());
        return std::chrono::duration<double, std::milli>(*at).count();
    }

private:
    std::vector<Duration> times_;
};

}  // namespace kv
