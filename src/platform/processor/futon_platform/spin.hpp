// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#ifdef _MSC_VER
#include <intrin.h>
#endif

#include <futon/detail/atomic.hpp>

#include "platform/address_wait.hpp"
#include "platform/clock.hpp"
#include "platform/last_yields.hpp"
#include "platform/polled.hpp"

namespace futon::platform {

class Spinner {
    /// About as long as going to sleep and being woken takes: a thread that would spin for longer should sleep.
    static constexpr std::chrono::microseconds limit{10};

public:
#if defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86))
    static void pause() noexcept {
        _mm_pause();
    }
#elif defined(_MSC_VER) && defined(_M_ARM64)
    static void pause() noexcept {
        __isb(_ARM64_BARRIER_SY);
    }
#elif defined(__x86_64__) || defined(__i386__)
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

    static bool sees_several_processors() noexcept {
        return has_several_processors;
    }

    template <class Poll>
    static bool until(Poll&& poll) noexcept;

    template <class Poll, class IsReplaced>
    static bool until_replaced(const void* what, Poll&& poll, IsReplaced&& is_replaced) noexcept;

    template <class Poll>
    static bool until_yielding(Poll&& poll) noexcept {
        return has_several_processors && until_yielding<Yields::where_wanted>(std::forward<Poll>(poll), limit, now());
    }

    template <class Poll>
    static bool until_yielding(Poll&& poll, std::chrono::microseconds longest,
                               std::chrono::steady_clock::time_point begin) noexcept {
        return until_yielding<Yields::where_wanted>(std::forward<Poll>(poll), longest, begin);
    }

    template <class Poll>
    static bool until_yielding_seldom(Poll&& poll) noexcept {
        return has_several_processors && until_yielding<Yields::seldom>(std::forward<Poll>(poll), limit, now());
    }

    template <std::uint32_t bit>
    static void until_clear(const detail::Atomic<std::uint32_t>& word) noexcept;

    template <class T>
    static void leave_alone(const detail::Atomic<T>& word) noexcept;

    static void let_others_poll() noexcept;

private:
    /// Lets another thread run on this processor, if one is waiting for it.
    static void yield() noexcept;

    /// Whether there was more than one processor for this process when the library was loaded. A thread that is later
    /// bound to a single one still spins: the owner of the lock may be bound to another.
    static const bool has_several_processors;

    // Each poll keeps the cache line from the thread that writes it next, for as long as the poll takes: tens of
    // nanoseconds between neighbours, hundreds between processors that are far apart. So after each poll the thread backs
    // off by a multiple of the time that it and a reading of the clock took, and leaves the owner alone for most of the
    // time on any machine. The owner of a very short hold acquires the lock several times meanwhile, without a transfer.
    // Where holds are longer than the time between two polls, there is no such gain, and the lock is free in vain for as
    // long as the thread backs off: so it polls more often.
    //
    // bench/notes/spinning.md shows the gains and costs of other numbers.
    static constexpr int backoff_per_poll = 8;
    static constexpr int backoff_for_long_holds = 2;
    static constexpr std::chrono::microseconds longest_backoff{2};  // a poll may have been interrupted

    /// Backs off after a poll that began then. Returns the time.
    [[gnu::noinline]] static std::chrono::steady_clock::time_point back_off(
        std::chrono::steady_clock::time_point poll_began, int times) noexcept {
        auto time = now();
        const auto end = time + std::min<std::chrono::nanoseconds>(times * (time - poll_began), longest_backoff);
        do {
            pause();
            time = now();
        } while (time < end);
        return time;
    }

    // Threads that each spin for the same again within this time of their last success do little but take its cache line
    // from each other. One of them gets as much done, in half of the processor time. So one that is replaced goes to sleep.
    static constexpr std::chrono::nanoseconds too_soon{1500};
    struct Success {
        const void* what = nullptr;
        decltype(now()) when{};
        bool are_holds_short = false;  // as far as the polls told
    };
    static constinit thread_local Success last_success;

    // The owner of a lock runs, as a rule. A thread that will set an event may not: it may be waiting for the very
    // processor of the spinning thread. So the spinning thread yields. It yields often enough to lose at most half a
    // microsecond. It yields seldom enough, for a yield is a system call, to see at once what a thread on another
    // processor does. There is no owner to leave alone, so it does not back off. docs/decisions/0054-spin-and-yield.md
    // shows the effect of other numbers.
    //
    // Where a yield let another thread run, the thread yields again after each poll, and so do its next waits, until a
    // yield returns at once. What others did meanwhile took hardly any of its processor time, so it goes on for longer, too.
    // Where others keep the processor for long, it does not spin at all.
    enum class Yields : bool { seldom, where_wanted };
    static constexpr int polls_per_yield = 8;
    static constexpr int longest_with_yields = 3;  // times the limit
    static constinit thread_local LastYields last_yields;

    template <Yields yields, class Poll>
    static bool until_yielding(Poll&& poll, std::chrono::microseconds longest,
                               std::chrono::steady_clock::time_point begin) noexcept;

    // A thread that has set a bit for a few dozen instructions is done at once, or has lost its processor.
    static constexpr int yields_for_bit = 16;
    static constexpr std::chrono::microseconds sleep_for_bit{100};
};

template <class Poll>
bool Spinner::until(Poll&& poll) noexcept {
    if (!has_several_processors) return false;

    auto time = now();
    const auto end = time + limit;
    do {
        if (poll()) return true;
        time = back_off(time, backoff_per_poll);
    } while (time < end);
    return false;
}

template <class Poll, class IsReplaced>
bool Spinner::until_replaced(const void* what, Poll&& poll, IsReplaced&& is_replaced) noexcept {
    if (!has_several_processors) return false;

    auto time = now();
    const auto end = time + limit;
    Success& before = last_success;
    const bool is_known = before.what == what;
    const bool is_back = is_known && time - before.when < too_soon;
    bool are_holds_short = is_back || (is_known && before.are_holds_short);
    for (bool is_first = true, have_changed = false; time < end; is_first = false) {
        const Polled polled = poll();
        if (polled == Polled::with_success) {
            before = {what, now(), is_first ? are_holds_short : have_changed};
            return true;
        }
        if (polled == Polled::for_the_last_time || (is_back && is_replaced())) return false;
        if (polled == Polled::in_vain) are_holds_short = have_changed = true;
        time = back_off(time, are_holds_short ? backoff_per_poll : backoff_for_long_holds);
    }
    return false;
}

template <Spinner::Yields yields, class Poll>
bool Spinner::until_yielding(Poll&& poll, std::chrono::microseconds longest,
                             std::chrono::steady_clock::time_point begin) noexcept {
    if (!has_several_processors) return false;

    auto time = begin;
    LastYields& last = last_yields;
    if (!last.let_spin(time)) return false;

    auto end = time + longest;
    const auto last_end = time + longest_with_yields * longest;
    int polls = 0;
    do {
        if (poll()) return true;
        if (++polls == polls_per_yield || (yields == Yields::where_wanted && last.is_wanted())) {
            polls = 0;
            const auto began = now();
            yield();
            time = now();
            last.note(time, time - began);
            if (yields == Yields::where_wanted && last.is_wanted()) end = std::min(end + (time - began), last_end);
        } else {
            pause();
            time = now();
        }
    } while (time < end);
    return false;
}

template <std::uint32_t bit>
void Spinner::until_clear(const detail::Atomic<std::uint32_t>& word) noexcept {
    const auto is_clear = [&] { return (word.load(std::memory_order_relaxed) & bit) == 0; };  // the caller orders it
    for (int tries = 0; !until(is_clear) && !is_clear(); ++tries) {
        if (tries < yields_for_bit) {
            yield();
        } else {
            detail::Atomic<std::uint32_t> never_woken{0};
            AddressWait::wait_until(never_woken, 0, now() + sleep_for_bit);
        }
    }
}

template <class T>
void Spinner::leave_alone(const detail::Atomic<T>& word) noexcept {
    if (!has_several_processors) return;

    const auto began = now();
    static_cast<void>(word.load(std::memory_order_relaxed));  // says how long its cache line takes
    back_off(began, backoff_per_poll);
}

inline void Spinner::let_others_poll() noexcept {
    if (!has_several_processors) return;

    const auto end = now() + longest_backoff;
    do pause();
    while (now() < end);
}

}  // namespace futon::platform
