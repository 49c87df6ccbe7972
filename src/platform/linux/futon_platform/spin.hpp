// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>

#include "platform/clock.hpp"

namespace futon::platform {

struct Spinner {
#if defined(__x86_64__) || defined(__i386__)
    static void pause() noexcept {
        __builtin_ia32_pause();
    }
#elif defined(__aarch64__)
    static void pause() noexcept {
        __asm__ __volatile__("isb");
    }
#else
    static void pause() noexcept {}
#endif

    template <class Poll>
    static bool until(Poll&& poll) noexcept;

    template <class Poll>
    static bool until_yielding(Poll&& poll) noexcept;

private:
    /// Lets another thread run on this processor, if one waits for it.
    static void yield() noexcept;

    /// Whether there was more than one processor for this process when the library was loaded. A thread that is bound to a
    /// single one later spins all the same: the owner of the lock may be bound to another.
    static const bool has_several_processors;

    /// About what it takes to go to sleep and to be woken: a thread that spins for longer had better have slept.
    static constexpr std::chrono::microseconds limit{10};

    // Each poll keeps the cache line from the thread that writes it next, for as long as the poll takes: tens of nanoseconds
    // between neighbours, hundreds between processors that are far apart. A lock that is held for a very short time is most
    // often free at the next poll anyway, so the first polls are sparse: after each the thread backs off, by a multiple of
    // what the poll and a reading of the clock took, and leaves the owner alone on any machine. A lock that is held for
    // longer may be free for a very short time only, which sparse polls would miss, so the later ones are dense.
    //
    // What other numbers bring and cost is in docs/benchmarks.md, question 5.
    static constexpr int sparse_polls = 2;
    static constexpr int backoff_per_sparse_poll = 8;
    static constexpr std::chrono::microseconds longest_backoff{2};  // a poll may have been interrupted

    // The owner of a lock runs, as a rule. A thread that is to set an event need not: it may wait for the very processor that
    // spins. So the spinning thread yields it: often enough that no more than half a microsecond is lost, and seldom enough
    // that it sees at once what a thread on another processor does, for a yield is a system call. There is no owner to leave
    // alone, so no poll is sparse. What other numbers bring is in docs/decisions/0054-spin-and-yield.md.
    static constexpr int polls_per_yield = 8;
};

template <class Poll>
bool Spinner::until(Poll&& poll) noexcept {
    if (!has_several_processors) return false;

    auto time = now();
    const auto end = time + limit;
    for (int polls = 1; time < end; ++polls) {
        const auto before = time;
        if (poll()) return true;
        time = now();
        auto next = time;
        if (polls <= sparse_polls)
            next += std::min<std::chrono::nanoseconds>(backoff_per_sparse_poll * (time - before), longest_backoff);
        do {
            pause();
            time = now();
        } while (time < next);
    }
    return false;
}

template <class Poll>
bool Spinner::until_yielding(Poll&& poll) noexcept {
    if (!has_several_processors) return false;

    const auto end = now() + limit;
    int polls = 0;
    do {
        if (poll()) return true;
        if (++polls % polls_per_yield == 0) {
            yield();
        } else {
            pause();
        }
    } while (now() < end);
    return false;
}

}  // namespace futon::platform
