// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#if __has_include(<sys/resource.h>)
#include <sys/resource.h>
#endif

/// The calls of a thread that must not block: how often the thread went to sleep in one, and how long they took.
///
/// A thread that sleeps gives up its processor of its own will, and the system counts that. A thread from which the
/// system takes the processor does not sleep, however long it is without it: on a busy machine the time that a call
/// takes says little of the call, and the count says all.
class Calls {
public:
    template <class F>
    void count(F&& call) {
        const std::int64_t sleeps = sleeps_of_this_thread();
        const auto begin = std::chrono::steady_clock::now();
        call();
        longest_ = std::max(longest_, std::chrono::steady_clock::now() - begin);
        with_sleep_ += sleeps_of_this_thread() != sleeps;
        ++made_;
    }

    std::int64_t made() const { return made_; }
    std::int64_t with_sleep() const { return with_sleep_; }
    std::chrono::steady_clock::duration longest() const { return longest_; }

    /// Whether this system counts the sleeps of a thread.
    static constexpr bool are_sleeps_counted =
#ifdef RUSAGE_THREAD
        true;
#else
        false;
#endif

private:
    static std::int64_t sleeps_of_this_thread() {
#ifdef RUSAGE_THREAD
        rusage used{};
        getrusage(RUSAGE_THREAD, &used);
        return used.ru_nvcsw;
#else
        return 0;
#endif
    }

    std::int64_t made_ = 0;
    std::int64_t with_sleep_ = 0;
    std::chrono::steady_clock::duration longest_{};
};
