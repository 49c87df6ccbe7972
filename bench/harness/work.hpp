// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

namespace bench {

/// A piece of work of a certain length, in instructions and not by the clock: a thread that is preempted meanwhile has
/// to do the rest afterwards. Calibrated once, at the first use.
class Work {
public:
    explicit Work(std::chrono::nanoseconds length);

    void operator()() const noexcept {
        std::uint64_t value = turns_;
        for (std::uint32_t i = 0; i < turns_; ++i) {
            value = value * 6364136223846793005u + 1442695040888963407u;
            asm volatile("" : "+r"(value));
        }
    }

private:
    std::uint32_t turns_;
};

/// Keeps the compiler from moving memory accesses across, or leaving them out.
inline void barrier() noexcept {
    asm volatile("" ::: "memory");
}

/// Keeps the compiler from leaving out what led to `value`.
template <class T>
void keep(const T& value) noexcept {
    asm volatile("" : : "g"(value) : "memory");
}

}  // namespace bench
