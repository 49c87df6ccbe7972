// SPDX-License-Identifier: MIT
// A page that shares a resource with threads, in simulated time. The figures are those of docs/decisions/0070.
#include <algorithm>
#include <cstdio>
#include <random>
#include <string>
#include <utility>

#include "page_simulation.hpp"
#include "support/gtest.hpp"

namespace {

using futon::Fairness;
using futon::test::PageSimulation;
using Frames = PageSimulation::Frames;

// In milliseconds: the first second is for the page to be seen.
constexpr double seen_from = 1000;
constexpr double seen_until = 6000;
constexpr double refresh = 1000. / 60;

constexpr Fairness page_orders[] = {Fairness::bounded, Fairness::strict};

PageSimulation::Turns about(double length) {
    return [length, random = std::minstd_rand(7)]() mutable {
        return length * std::uniform_real_distribution<double>(0.95, 1.05)(random);
    };
}

/// What threads and a page have, where the threads have this without the page. A share is of that.
struct PageScene {
    PageScene(Fairness order, int thread_count, double hold_time, Frames frames, double begin = seen_from,
              double end = seen_until)
        : fairness(order), threads(thread_count), hold(hold_time), simulation(order, thread_count, hold_time, frames) {
        simulation.run_until(begin);
        const long turns_before = simulation.turns(0);
        const long before = simulation.threads().acquisitions;
        simulation.run_until(end);
        PageSimulation without(order, threads, hold, {.lengths = about(1), .begins_at = 2 * end});
        without.run_until(begin);
        const long alone_before = without.threads().acquisitions;
        without.run_until(end);
        share = static_cast<double>(simulation.threads().acquisitions - before) /
                static_cast<double>(std::max(1L, without.threads().acquisitions - alone_before));
        met = static_cast<double>(simulation.loop(0).acquisitions) /
              static_cast<double>(std::max(1L, simulation.turns(0) - turns_before));
    }

    std::string text(const std::string& what) const {
        char line[300];
        std::snprintf(
            line, sizeof line,
            "%s, %s, %d threads that hold %g ms: threads %.2f, longest wait %.1f; page in %.2f of its frames, %.1f",
            what.c_str(), fairness == Fairness::strict ? "strict" : "bounded", threads, hold, share,
            simulation.threads().longest_wait, met, simulation.loop(0).longest_wait);
        return line;
    }

    Fairness fairness;
    int threads;
    double hold;
    PageSimulation simulation;
    double share = 0;
    double met = 0;
};

TEST(PagePace, APageThatComputesIsServedAndThreadsKeepWhatTheyHave) {
    for (const Fairness fairness : page_orders)
        for (const double period : {refresh, 0.})
            for (const bool is_turn : {false, true})
                for (const double length : {0., 2., 16., 40., 100.})
                    for (const double hold : {0.1, 5.})
                        for (const int threads : {1, 4}) {
                            if (period == 0 && length == 0) continue;
                            const PageScene scene(fairness, threads, hold,
                                                  {.lengths = about(length), .period = period, .is_turn = is_turn});
                            const std::string text =
                                scene.text("frames of " + std::to_string(length) + (is_turn ? " in turns" : "") +
                                           (period == 0 ? " without pause" : ""));
                            std::puts(text.c_str());
                            EXPECT_LE(scene.simulation.loop(0).longest_wait, 4 * length + threads * hold + 20) << text;
                            if (length > threads * hold) {
                                EXPECT_GE(scene.met, 0.25) << text;
                            }
                            if (fairness == Fairness::bounded) {
                                EXPECT_GE(scene.share, 0.9) << text;
                            }
                        }
}

TEST(PagePace, APageThatDoesNotRunCostsThreadsNothing) {
    for (const Fairness fairness : page_orders)
        for (const double period : {refresh, 0.})
            for (const double length : {2., 16., 40., 100.})
                for (const double hold : {0.1, 5.}) {
                    const PageScene scene(fairness, 4, hold, {.lengths = about(length), .period = period, .stops = 900},
                                          1100, 4000);
                    const std::string text = scene.text("frames of " + std::to_string(length) + ", then none");
                    std::puts(text.c_str());
                    EXPECT_GE(scene.share, 0.95) << text;
                    // In a strict order, one offer that is as long as a frame.
                    EXPECT_LE(scene.simulation.threads().longest_wait, 4 * hold + std::max(100., 1.4 * length)) << text;
                }
}

TEST(PagePace, AnEngineIsLeftAloneWhereNoTaskWaits) {
    PageSimulation simulation(Fairness::bounded, 2, 1, {.lengths = about(1), .period = refresh, .asks_once = true});
    simulation.run_until(2 * seen_from);
    const long before = simulation.calls();

    simulation.run_until(seen_until);

    EXPECT_EQ(simulation.calls(), before);
}

}  // namespace
