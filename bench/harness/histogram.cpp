// SPDX-License-Identifier: MIT
#include "harness/histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace bench {

void Histogram::add(const Histogram& other) noexcept {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
}

std::uint64_t Histogram::count() const noexcept {
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

Histogram Histogram::corrected_for_coordinated_omission(double interval) const {
    Histogram result = *this;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        if (counts_[i] == 0) continue;
        const double longest = middle_of(i);
        const double step = std::max(interval, longest / 1000);  // a thousand steps are as good as a million
        const double weight = static_cast<double>(counts_[i]) * step / interval;
        for (double left = longest - step; left > 0; left -= step)
            result.counts_[index_of(static_cast<std::uint64_t>(left))] += static_cast<std::uint64_t>(weight);
    }
    return result;
}

double Histogram::quantile(double part) const noexcept {
    const double wanted = std::ceil(part * static_cast<double>(count()));
    double seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        seen += static_cast<double>(counts_[i]);
        if (seen > 0 && seen >= wanted) return middle_of(i);
    }
    return 0;
}

std::size_t Histogram::index_of(std::uint64_t value) noexcept {
    const unsigned width = static_cast<unsigned>(std::bit_width(value));
    if (width <= step_bits) return value;
    const unsigned shift = width - step_bits - 1;
    return (std::size_t{shift} << step_bits) + (value >> shift);
}

double Histogram::middle_of(std::size_t index) noexcept {
    if (index < std::size_t{2} << step_bits) return static_cast<double>(index);
    const std::size_t shift = (index >> step_bits) - 1;
    const std::size_t mantissa = index - (shift << step_bits);
    return std::ldexp(static_cast<double>(mantissa) + 0.5, static_cast<int>(shift));
}

}  // namespace bench
