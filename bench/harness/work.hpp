// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

namespace bench {

/// A piece of work of a certain duration, as a number of iterations and not by the clock: a preempted thread still has
/// to do the rest. Calibrated once, at the first use.
class Work {
public:
    explicit Work(std::chrono::nanoseconds length);

    void operator()() const noexcept {
        std::uint64_t value = iterations_;
        for (std::uint32_t i = 0; i < iterations_; ++i) {
            value = value * 6364136223846793005u + 1442695040888963407u;
            asm volatile("" : "+r"(value));
        }
    }

private:
    std::uint32_t iterations_;
};

/// Keeps the compiler from moving memory accesses across this call, or omitting them.
inline void barrier() noexcept {
    asm volatile("" ::: "memory");
}

/// Keeps the compiler from omitting the computation of `value`.
template <class T>
void keep(const T& value) noexcept {
    asm volatile("" : : "g"(value) : "memory");
}

}  // namespace bench
