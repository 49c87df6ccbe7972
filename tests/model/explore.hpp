// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>

#include <futon/explorer.hpp>
#include <futon/fairness.hpp>

#include "support/depth.hpp"
#include "support/gtest.hpp"

namespace futon::test {

inline constexpr Fairness fairnesses[] = {Fairness::bounded, Fairness::strict};

/// Explores a program within the bound that its options say. Where tests are shallow, with one early tick at most and two leaps of
/// the clock; first within one preemption, and then, if there were few schedules, for a while within two.
inline explorer::Report explore_as_deep_as_asked(explorer::Options options, const std::function<void()>& program) {
    constexpr std::uint64_t few = 5'000;
    if (!is_shallow() || !options.replay.empty()) return explorer::explore(options, program);
    explorer::Options shallow = options;
    shallow.clock_leaps = std::min(options.clock_leaps, 2);
    shallow.early_ticks = std::min(options.early_ticks, 1);
    if (options.preemptions <= 1) return explorer::explore(shallow, program);
    shallow.preemptions = 1;
    explorer::Report report = explorer::explore(shallow, program);
    if (!report.failure.empty() || report.schedules >= few) return report;
    shallow.preemptions = 2;
    shallow.schedules = std::min(options.schedules, 4 * few);
    return explorer::explore(shallow, program);
}

/// Explores a program and expects that no schedule fails; prints how many there were. FUTON_MODEL_PREEMPTIONS in the
/// environment sets another bound and exhausts it, however long that takes; FUTON_MODEL_REPLAY replays one schedule with
/// its trace.
inline void expect_holds(const char* name, explorer::Options options, const std::function<void()>& program) {
#ifdef FUTON_MODEL_SPINS
    options.spins = true;
#endif
    if (const char* preemptions = std::getenv("FUTON_MODEL_PREEMPTIONS")) {
        options.strategy = explorer::Strategy::exhaustive;
        options.preemptions = std::atoi(preemptions);
        options.schedules = std::numeric_limits<std::uint64_t>::max();
    }
    if (const char* replay = std::getenv("FUTON_MODEL_REPLAY")) options.replay = replay;

    const auto begin = std::chrono::steady_clock::now();
    const explorer::Report report = explore_as_deep_as_asked(options, program);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;

    std::printf("%s: %llu schedules, %llu states%s, %.1f s\n", name, static_cast<unsigned long long>(report.schedules),
                static_cast<unsigned long long>(report.states), report.is_exhausted ? ", exhausted" : "",
                taken.count());
    if (report.failure.empty()) return;
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    std::printf("%s\n./dev replay %s.%s %s --gdb\n", report.trace.c_str(), test->test_suite_name(), test->name(),
                report.schedule.empty() ? "0" : report.schedule.c_str());
    std::fflush(stdout);
    // The fibers were stopped in the middle; nothing that they left behind can be used again.
    std::fprintf(stderr, "%s: %s\n", name, report.failure.c_str());
    std::_Exit(1);
}

}  // namespace futon::test
