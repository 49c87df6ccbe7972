// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#ifndef _WIN32
#include <sched.h>
#endif

#include "platform/clock.hpp"
#include "platform/spin.hpp"

namespace futon::test {

/// A thread whose processor another has lately kept for a slice does not spin. Waits until the calling thread does, which it
/// never does in a process with a single processor.
inline void wait_until_it_spins() {
    static bool never_spins = false;
    const auto end = platform::now() + std::chrono::seconds(2);  // it is a second at most
    while (!never_spins && !platform::spin_yielding_until([] { return true; })) never_spins = platform::now() > end;
}

/// Whether a thread that polls in vain comes to yield: where a poll takes a microsecond, as under an emulator, it does not.
inline bool yields_while_it_spins() {
    constexpr int enough = 8;  // then it yields
    int most = 0;
    for (const auto end = platform::now() + std::chrono::seconds(3); most < enough && platform::now() < end;) {
        wait_until_it_spins();
        int polls = 0;
        platform::spin_yielding_until([&] { return ++polls == enough; });
        most = polls > most ? polls : most;
    }
    return most >= enough;
}

#if !defined(_WIN32) && !defined(FUTON_PLATFORM_IS_emscripten)

inline cpu_set_t allowed_processors() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    return allowed;
}

/// This thread, and what it executes.
inline bool bind_to_one_processor() {
    const cpu_set_t allowed = allowed_processors();
    int first = 0;
    while (first < CPU_SETSIZE && !CPU_ISSET(first, &allowed)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    if (first < CPU_SETSIZE) CPU_SET(first, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
}

/// Spins beside a thread that computes on the same processor until this thread does not spin any more. Returns whether that
/// was so within two seconds.
inline bool lose_processor_while_spinning() {
    std::atomic<bool> computes{false};
    std::atomic<bool> is_over{false};
    std::jthread other([&] {
        bind_to_one_processor();
        computes = true;
        while (!is_over.load()) continue;
    });
    while (!computes) std::this_thread::yield();
    const cpu_set_t allowed = allowed_processors();
    bind_to_one_processor();
    bool has_polled = true;
    for (const auto end = platform::now() + std::chrono::seconds(2); has_polled && platform::now() < end;) {
        has_polled = false;
        platform::spin_yielding_until([&] {
            has_polled = true;
            return false;
        });
    }
    is_over = true;
    sched_setaffinity(0, sizeof allowed, &allowed);
    return !has_polled;
}

#endif

}  // namespace futon::test
