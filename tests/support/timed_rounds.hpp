// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

#include "support/scale.hpp"

namespace futon::test {

/// Counts the rounds of a race. It ends by the clock, not after a number of rounds: where threads have to wait for a
/// processor, a round may take a thousand times as long as elsewhere.
class TimedRounds {
public:
    /// Whether to run one more round; there are always a few.
    bool has_another_round() {
        constexpr int fewest = 20;
        return rounds_++ < fewest || std::chrono::steady_clock::now() - begin_ < length_;
    }

    /// The number of the present round.
    int round() const { return rounds_; }

private:
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    const std::chrono::duration<double> length_{stress_seconds(0.7)};
    int rounds_ = 0;
};

}  // namespace futon::test
