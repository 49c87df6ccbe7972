// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

#include "platform/clock.hpp"

namespace futon::platform {

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

/// About what it takes to go to sleep and to be woken: who looks for longer had better have slept.
inline constexpr std::chrono::microseconds spin_limit{10};

/// Each look keeps the cache line from whoever writes it next, for as long as the look takes: some ten nanoseconds between
/// neighbours, hundreds between processors that are far apart. A lock that is held for a moment only is most often free
/// at the next look anyway, so the first looks are far apart, by a multiple of what the look took, and leave its owner
/// alone on any machine. One that is held for longer may be free for a moment only, which would be missed from afar, so
/// the later looks are close together.
///
/// What other numbers bring and cost stands in docs/benchmarks.md, question 5.
inline constexpr int far_looks = 2;
inline constexpr int rest_per_far_look = 8;

/// As platform/spin.hpp says.
template <class Look>
bool spin_until(Look look) noexcept {
    auto time = now();
    const auto end = time + spin_limit;
    for (int looks = 1; time < end; ++looks) {
        const auto before = time;
        if (look()) return true;
        time = now();
        const auto next = looks <= far_looks ? time + rest_per_far_look * (time - before) : time;
        do {
            spin_pause();
            time = now();
        } while (time < next && time < end);
    }
    return false;
}

}  // namespace futon::platform
