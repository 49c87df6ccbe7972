// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
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

/// Whether there was more than one processor for this process when the library was loaded. Threads are bound to single
/// ones later, which is no reason not to look: who holds the lock may be bound to another.
extern const bool has_several_processors;

/// About what it takes to go to sleep and to be woken: who looks for longer had better have slept.
inline constexpr std::chrono::microseconds spin_limit{10};

/// Each look keeps the cache line from whoever writes it next, for as long as the look takes: tens of nanoseconds between
/// neighbours, hundreds between processors that are far apart. A lock that is held for a moment only is most often free
/// at the next look anyway, so the first looks are far apart, by a multiple of what the look and a look at the clock took,
/// and leave its owner alone on any machine. One that is held for longer may be free for a moment only, which would be
/// missed from afar, so the later looks are close together.
///
/// What other numbers bring and cost stands in docs/benchmarks.md, question 5.
inline constexpr int sparse_polls = 2;
inline constexpr int backoff_per_sparse_poll = 8;
inline constexpr std::chrono::microseconds longest_backoff{
    2};  // a look may have taken long for having been interrupted

/// As platform/spin.hpp says.
template <class Look>
bool spin_until(Look look) noexcept {
    if (!has_several_processors) return false;

    auto time = now();
    const auto end = time + spin_limit;
    for (int looks = 1; time < end; ++looks) {
        const auto before = time;
        if (look()) return true;
        time = now();
        auto next = time;
        if (looks <= sparse_polls)
            next += std::min<std::chrono::nanoseconds>(backoff_per_sparse_poll * (time - before), longest_backoff);
        do {
            spin_pause();
            time = now();
        } while (time < next);
    }
    return false;
}

}  // namespace futon::platform
