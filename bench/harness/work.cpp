// SPDX-License-Identifier: MIT
#include "harness/work.hpp"

#include <algorithm>
#include <limits>

#include "harness/session.hpp"

namespace bench {

namespace {

double nanoseconds_per_iteration() {
    constexpr int iterations = 20'000;
    double best = std::numeric_limits<double>::max();
    for (int attempt = 0; attempt < 50; ++attempt) {
        const Clock::time_point begin = Clock::now();
        std::uint64_t value = 1;
        for (int i = 0; i < iterations; ++i) {
            value = value * 6364136223846793005u + 1442695040888963407u;
            asm volatile("" : "+r"(value));
        }
        best = std::min(best, nanoseconds(Clock::now() - begin) / iterations);
    }
    return best;
}

}  // namespace

Work::Work(std::chrono::nanoseconds length) {
    static const double per_iteration = nanoseconds_per_iteration();
    iterations_ = static_cast<std::uint32_t>(static_cast<double>(length.count()) / per_iteration);
}

}  // namespace bench
