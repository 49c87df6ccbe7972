// SPDX-License-Identifier: MIT
// What the end of the program waits for.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <latch>
#include <string>

#include <gtest/gtest.h>

#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>

#include "diagnostics/registry.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::diagnostics::Report;
using futon::test::until;
using futon::test::until_after;

std::latch has_begun{1}, never{1};
std::atomic<bool> is_ending{false}, is_reported{false};

/// Runs a job until it is being reported.
void run_long_job() {
    futon::diagnostics::watch({.job = 5ms});
    EventLoop loop;
    loop.post([] { has_begun.wait(); });
    loop.run();
}

std::string stack_here() {
    futon::diagnostics::detail::Place place;
    futon::diagnostics::detail::take_place(place, 0);
    return futon::diagnostics::detail::stack_text_of(place);
}

/// Each program is a process of its own, which is executed anew so that it may have threads.
class DiagnosticsExitDeathTest : public testing::Test {
protected:
    void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(DiagnosticsExitDeathTest, WaitsForAReportThatIsUnderWay) {
    const auto program = [] {
        std::atexit([] { std::_Exit(is_reported ? 3 : 4); });  // the last of all
        futon::diagnostics::respond([](const Report&) {
            has_begun.count_down();
            until([] { return is_ending.load(); });
            until_after(std::chrono::steady_clock::now() + 50ms);  // what else comes at the end comes by then
            is_reported = true;
        });
        run_long_job();
        std::atexit([] { is_ending = true; });  // the first
        std::exit(3);
    };
    EXPECT_EXIT(program(), testing::ExitedWithCode(3), "");
}

TEST_F(DiagnosticsExitDeathTest, DoesNotWaitForeverForAReport) {
    const auto program = [] {
        futon::diagnostics::respond([](const Report&) {
            has_begun.count_down();
            never.wait();
        });
        run_long_job();
        std::exit(3);
    };
    EXPECT_EXIT(program(), testing::ExitedWithCode(3), "");
}

/// The watching thread does not wait for itself, until it would have no time for files and lines.
TEST_F(DiagnosticsExitDeathTest, IsNotDelayedByTheReportThatAsksForIt) {
    const auto program = [] {
        std::atexit([] { std::_Exit(stack_here().find(" at ") != std::string::npos ? 3 : 4); });  // the last of all
        futon::diagnostics::respond([](const Report&) { std::exit(5); });
        futon::diagnostics::watch({.job = 5ms});
        EventLoop loop;
        loop.post([] { never.wait(); });
        loop.run();
    };
    EXPECT_EXIT(program(), testing::ExitedWithCode(3), "");
}

TEST_F(DiagnosticsExitDeathTest, GivesNoFilesAndLinesToAReportThatIsLate) {
    const auto program = [] {
        futon::diagnostics::detail::hurry_places();
        const std::string text = stack_here();
        std::exit(!text.empty() && text.find(" at ") == std::string::npos ? 3 : 4);
    };
    EXPECT_EXIT(program(), testing::ExitedWithCode(3), "");
}

}  // namespace
