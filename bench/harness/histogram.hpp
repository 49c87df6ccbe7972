// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace bench {

/// How often each length of time was seen, to within two parts in a hundred.
class Histogram {
public:
    void add(std::uint64_t nanoseconds) noexcept { ++counts_[index_of(nanoseconds)]; }
    void add(const Histogram& other) noexcept;

    std::uint64_t count() const noexcept;

    /// The same waits as they are met by one who comes at any moment: for each that is longer than `interval` also what
    /// those would have waited who had come meanwhile, one each `interval`. Without them a lock looks the better the
    /// longer it keeps all but one waiting, since nobody who is waiting asks for it.
    Histogram with_those_who_came_meanwhile(double interval) const;

    /// The length that this part of all (0.99, say) did not exceed. 0 if nothing was seen.
    double quantile(double part) const noexcept;

private:
    // 64 steps for each power of two; below 64, one for each value.
    static constexpr unsigned step_bits = 6;

    static std::size_t index_of(std::uint64_t value) noexcept;
    static double middle_of(std::size_t index) noexcept;

    std::array<std::uint64_t, (64 - step_bits + 1) << step_bits> counts_{};
};

}  // namespace bench
