// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace bench {

/// Counts of durations, in buckets of at most two percent.
class Histogram {
public:
    void add(std::uint64_t nanoseconds) noexcept { ++counts_[index_of(nanoseconds)]; }
    void add(const Histogram& other) noexcept;

    std::uint64_t count() const noexcept;

    /// The same waits, corrected for coordinated omission: each wait longer than `interval` also counts the shorter
    /// waits of the requests that would have arrived during it, one every `interval`. Without the correction a lock
    /// that lets one thread reacquire it again and again looks good, because a thread that waits makes no further
    /// requests.
    Histogram corrected_for_coordinated_omission(double interval) const;

    /// The duration that this part of all (0.99 for example) did not exceed. 0 if the histogram is empty.
    double quantile(double part) const noexcept;

private:
    // 64 buckets for each power of two; below 64, one for each value.
    static constexpr unsigned step_bits = 6;

    static std::size_t index_of(std::uint64_t value) noexcept;
    static double middle_of(std::size_t index) noexcept;

    std::array<std::uint64_t, (64 - step_bits + 1) << step_bits> counts_{};
};

}  // namespace bench
