// SPDX-License-Identifier: MIT
#pragma once

namespace futon::platform {

// Found for AsyncLock with 2 to 16 threads on x86-64, where a pause takes 22 ns; what else was tried stands in
// docs/benchmarks.md, question 5. The mutex under the lines, which is held for less, takes the same.
inline constexpr int far_looks = 2;
inline constexpr int pauses_between_far_looks = 14;
inline constexpr int near_looks = 64;

#if defined(__x86_64__) || defined(__i386__)
inline void spin_pause() noexcept {
    __builtin_ia32_pause();
}
#elif defined(__aarch64__)
inline void spin_pause() noexcept {
    __asm__ __volatile__("isb");
}
#else
inline void spin_pause() noexcept {}
#endif

}  // namespace futon::platform
