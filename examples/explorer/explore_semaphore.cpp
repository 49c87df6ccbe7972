// SPDX-License-Identifier: MIT
// A lock of one's own, in every schedule.
//
// Explores a semaphore that is right, and one that loses a wake-up, which must be found. With an argument it replays that
// schedule of the second one:
//
//     explore_semaphore [SCHEDULE]
#include <cstdio>
#include <cstdlib>
#include <functional>

#include <futon/explorer.hpp>

#include "hasty_semaphore.hpp"
#include "semaphore.hpp"

namespace explorer = futon::explorer;

namespace {

/// Two threads wait, and two permits are released: each thread must get one.
template <class SemaphoreType>
void both_get_a_permit() {
    SemaphoreType semaphore(0);
    explorer::name(semaphore, "permits");
    for (int i = 0; i < 2; ++i) explorer::spawn("waiter", [&] { semaphore.acquire(); });
    explorer::spawn("releaser", [&] {
        semaphore.release();
        semaphore.release();
    });
    explorer::join();
    explorer::check(!semaphore.try_acquire(), "no permit is left");
}

/// A semaphore of one permit protects a plain variable.
void one_at_a_time() {
    Semaphore semaphore(1);
    explorer::Shared sum;
    for (const char* name : {"A", "B", "C"})
        explorer::spawn(name, [&] {
            semaphore.acquire();
            sum.store(sum.load() + 1);
            semaphore.release();
        });
    explorer::join();
    explorer::check(sum.load() == 3, "each thread has added one");
}

void print(const char* name, const explorer::Report& report) {
    std::printf("%s: %llu schedules%s\n", name, static_cast<unsigned long long>(report.schedules),
                report.is_exhausted ? ", which are all" : "");
    if (!report.failure.empty())
        std::printf("%s\n%sschedule %s\n", report.failure.c_str(), report.trace.c_str(), report.schedule.c_str());
}

/// Whether no schedule within the bounds fails.
bool holds(const char* name, const explorer::Options& options, const std::function<void()>& program) {
    const explorer::Report report = explorer::explore(options, program);
    print(name, report);
    return report.is_exhausted && report.failure.empty();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 1) {
        if (!holds("two waiters, two releases", {}, both_get_a_permit<Semaphore>)) return EXIT_FAILURE;
        if (!holds("one at a time, weak memory", {.preemptions = 2, .stale_loads = 1}, one_at_a_time))
            return EXIT_FAILURE;
    }

    // The last one, for what a failed schedule has left behind cannot be used again.
    const explorer::Report report =
        explorer::explore({.replay = argc > 1 ? argv[1] : ""}, both_get_a_permit<HastySemaphore>);
    print("two waiters, two hasty releases", report);
    return report.failure.starts_with("deadlock") ? EXIT_SUCCESS : EXIT_FAILURE;
}
