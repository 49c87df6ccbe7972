// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>
#include <unordered_set>

#include <futon/explorer.hpp>

#include "linearizability/generated_program.hpp"
#include "linearizability/history.hpp"
#include "linearizability/linearization.hpp"
#include "linearizability/performance.hpp"
#include "support/depth.hpp"
#include "support/gtest.hpp"

namespace {

using futon::explorer::Options;
using futon::explorer::Report;
using futon::explorer::Strategy;
using futon::test::GeneratedProgram;
using futon::test::History;
using futon::test::Linearization;

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// How the schedules of a program are chosen: by its seed alone, so that one of them can be replayed. Chance finds more
/// histories in as many schedules, and what needs more preemptions. FUTON_MODEL_PREEMPTIONS in the environment exhausts
/// each program within that bound.
Options options_for(const GeneratedProgram& program) {
    const std::uint64_t seed = program.seed;
    const char* preemptions = std::getenv("FUTON_MODEL_PREEMPTIONS");
    Options options;
    if (preemptions != nullptr) {
        options.preemptions = std::atoi(preemptions);
        options.schedules = std::numeric_limits<std::uint64_t>::max();
    } else if (seed % 2 == 0) {
        options.preemptions = 1;
        options.schedules = 50'000;
    } else {
        options.strategy = seed % 4 == 1 ? Strategy::pct : Strategy::random;
        options.preemptions = 3;
        options.schedules = 2'000;
    }
    options.clock_leaps = seed % 3 == 0 ? 1 : 0;
    options.stale_loads = seed % 5 == 0 && program.subject.orders_refusals() ? 1 : 0;
    options.seed = seed;
    if (const char* replay = std::getenv("FUTON_MODEL_REPLAY")) options.replay = replay;
    return options;
}

/// What came of all programs so far.
struct Totals {
    std::uint64_t schedules = 0;
    std::uint64_t histories = 0;
    std::uint64_t exhausted = 0;
};

/// Prints what a failure needs to be understood and replayed, and ends the process: the fibers were stopped in the
/// middle, and nothing that they left behind can be used again.
[[noreturn]] void report_failure(const GeneratedProgram& program, const History& history, const Report& report) {
    std::printf("Seed %llu\n%s%s%s\n", static_cast<unsigned long long>(program.seed), program.to_string().c_str(),
                history.to_string().c_str(), report.trace.c_str());
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    std::printf(
        "generated program: %llu schedules\n"
        "FUTON_LINEARIZABILITY_SEED=%llu FUTON_LINEARIZABILITY_PROGRAMS=1 ./dev replay %s.%s %s --gdb\n",
        static_cast<unsigned long long>(report.schedules), static_cast<unsigned long long>(program.seed),
        test->test_suite_name(), test->name(), report.schedule.empty() ? "0" : report.schedule.c_str());
    std::fflush(stdout);
    std::fprintf(stderr, "generated program: %s\n", report.failure.c_str());
    std::_Exit(1);
}

using Type = futon::test::Subject::Type;

// What the programs of a test are about. One that is listed twice comes twice as often.
constexpr Type words_and_queues[] = {Type::lock,  Type::word,    Type::semaphore, Type::lock,
                                     Type::word,  Type::channel, Type::semaphore, Type::word,
                                     Type::event, Type::channel, Type::semaphore, Type::auto_reset_event};
constexpr Type locks_and_latches[] = {Type::shared_lock, Type::shared_lock, Type::shared_lock, Type::latch};

void expect_linearizable(std::uint64_t seed, std::span<const Type> subjects, Totals& totals) {
    const GeneratedProgram program(seed, subjects);
    History history;                             // outside of the exploration, for a failure to be printed
    std::unordered_set<std::string> is_checked;  // many schedules have the same history
    const Report report = futon::explorer::explore(options_for(program), [&] {
        perform(program, history);
        if (is_checked.insert(history.key()).second)
            futon::explorer::check(Linearization(history, program.subject).exists(), "the history is not linearizable");
    });
    if (!report.failure.empty()) report_failure(program, history, report);
    totals.schedules += report.schedules;
    totals.histories += is_checked.size();
    totals.exhausted += report.is_exhausted;
}

/// Unless the environment says which programs, the seeds begin here; where tests are shallow, there are an eighth of them.
void expect_linearizable(std::uint64_t begin, std::uint64_t count, std::span<const Type> subjects) {
    const std::uint64_t first = number_from_environment("FUTON_LINEARIZABILITY_SEED", begin);
    const std::uint64_t programs =
        number_from_environment("FUTON_LINEARIZABILITY_PROGRAMS", futon::test::is_shallow() ? count / 8 : count);

    Totals totals;
    for (std::uint64_t i = 0; i < programs; ++i) expect_linearizable(first + i, subjects, totals);

    std::printf("generated programs: %llu, %llu of them exhausted, %llu schedules, %llu histories\n",
                static_cast<unsigned long long>(programs), static_cast<unsigned long long>(totals.exhausted),
                static_cast<unsigned long long>(totals.schedules), static_cast<unsigned long long>(totals.histories));
    EXPECT_GE(totals.histories, programs);
}

// In parts, so that all cores share them.
TEST(ModelLinearizability, GeneratedProgramsBehaveAsSpecified) {
    expect_linearizable(1, 200, words_and_queues);
}
TEST(ModelLinearizability, GeneratedProgramsBehaveAsSpecifiedFrom201) {
    expect_linearizable(201, 200, words_and_queues);
}
TEST(ModelLinearizability, GeneratedProgramsBehaveAsSpecifiedFrom401) {
    expect_linearizable(401, 200, words_and_queues);
}
TEST(ModelLinearizability, GeneratedProgramsBehaveAsSpecifiedFrom601) {
    expect_linearizable(601, 200, words_and_queues);
}
TEST(ModelLinearizability, GeneratedProgramsOfSharedLocksAndLatchesBehaveAsSpecified) {
    expect_linearizable(1, 150, locks_and_latches);
}

}  // namespace
