// SPDX-License-Identifier: MIT
// Who is served when, in simulated time. The figures are those of docs/decisions/0070.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "arbiter_simulation.hpp"
#include "support/depth.hpp"
#include "support/gtest.hpp"

namespace {

using futon::Fairness;
using futon::test::ArbiterSimulation;
using Loop = ArbiterSimulation::Loop;
using Polls = ArbiterSimulation::Polls;

// In milliseconds: the first second is for the loops to be seen.
constexpr double first = 1000;
constexpr double last = 6000;

ArbiterSimulation::Turns always(double length) {
    return [length, random = std::minstd_rand(7)]() mutable {
        return length * std::uniform_real_distribution<double>(0.95, 1.05)(random);
    };
}

ArbiterSimulation::Turns mixed(double length, double other, double probability) {
    return [=, random = std::minstd_rand(7)]() mutable {
        return std::uniform_real_distribution<double>(0, 1)(random) < probability ? other : length;
    };
}
ArbiterSimulation::Turns uniform(double least, double most) {
    return [=, random = std::minstd_rand(7)]() mutable {
        return std::uniform_real_distribution<double>(least, most)(random);
    };
}
ArbiterSimulation::Turns alternating(double one, double other) {
    return [=, is_other = false]() mutable { return (is_other = !is_other) ? one : other; };
}

/// What the threads and the loops of a scene have, where the threads have this without the loops. A share is of that.
struct PaceScene {
    PaceScene(Fairness order, int thread_count, double hold_time, std::vector<Loop> loops, double begin = first,
              double end = last)
        : fairness(order),
          threads(thread_count),
          hold(hold_time),
          simulation(order, thread_count, hold_time, std::move(loops)) {
        simulation.run_until(begin);
        const long before = simulation.threads().acquisitions;
        simulation.run_until(end);
        share = static_cast<double>(simulation.threads().acquisitions - before) / alone(begin, end);
    }

    double alone(double begin, double end) const {
        ArbiterSimulation without(fairness, threads, hold, {});
        without.run_until(begin);
        const long before = without.threads().acquisitions;
        without.run_until(end);
        return static_cast<double>(std::max(1L, without.threads().acquisitions - before));
    }

    /// How often a loop took the resource, of its turns.
    double met(std::size_t loop, double turn) const {
        return static_cast<double>(simulation.loop(loop).acquisitions) * turn / (last - first);
    }

    std::string text(const char* what) const {
        char line[300];
        int length =
            std::snprintf(line, sizeof line, "%s, %s, %d threads that hold %g ms: threads %.2f, longest wait %.1f;",
                          what, fairness == Fairness::strict ? "strict" : "bounded", threads, hold, share,
                          simulation.threads().longest_wait);
        for (std::size_t i = 0; i < simulation.loop_count(); ++i)
            length +=
                std::snprintf(line + length, sizeof line - static_cast<std::size_t>(length), " loop %ld of %ld, %.1f;",
                              simulation.loop(i).acquisitions, simulation.turns(i), simulation.loop(i).longest_wait);
        return line;
    }

    Fairness fairness;
    int threads;
    double hold;
    ArbiterSimulation simulation;
    double share = 0;
};

constexpr Fairness both[] = {Fairness::bounded, Fairness::strict};
constexpr double holds[] = {0.1, 5, 20};

/// Where there are very many scenes.
std::vector<double> some_holds() {
    if (futon::test::is_shallow()) return {5};
    return {std::begin(holds), std::end(holds)};
}

TEST(ArbiterPace, ABusyLoopIsServedAndThreadsKeepWhatTheyHave) {
    for (const Fairness fairness : both)
        for (const double turn : {2., 5., 16., 40., 100.})
            for (const double hold : holds)
                for (const int threads : {1, 4, 16}) {
                    const PaceScene scene(fairness, threads, hold, {{always(turn)}});
                    const std::string text = scene.text(("turns of " + std::to_string(turn)).c_str());
                    std::puts(text.c_str());
                    EXPECT_LE(scene.simulation.loop(0).longest_wait, 4 * turn + threads * hold + 20.5) << text;
                    // More often than in a fair queue of holds as long as these it cannot be.
                    if (turn > threads * hold && turn > threads) {
                        EXPECT_GE(scene.met(0, turn), 0.25) << text;
                    }
                    if (fairness == Fairness::bounded) {
                        EXPECT_GE(scene.share, 0.9) << text;
                    }
                }
}

TEST(ArbiterPace, ABusyLoopIsServedBesideHoldsOfAMicrosecond) {
    for (const double turn : {2., 100.})
        for (const int threads : {4, 16}) {
            const PaceScene scene(Fairness::bounded, threads, 0.001, {{always(turn)}}, first, first + 500);
            const std::string text = scene.text(("turns of " + std::to_string(turn)).c_str());
            std::puts(text.c_str());
            EXPECT_LE(scene.simulation.loop(0).longest_wait, 4 * turn + 20) << text;
            EXPECT_LE(scene.simulation.threads().longest_wait, threads + turn / 6 + 4) << text;
            EXPECT_GE(scene.share, 0.9) << text;
        }
}

// A thread that is on its way when a handoff falls due is the first in the queue once it is back, and gets it.
TEST(ArbiterPace, AThreadWaitsForAThresholdAndAHoldForEachBeforeIt) {
    for (const double hold : {0.001, 0.1, 5.})
        for (const int threads : {2, 4, 16}) {
            const PaceScene scene(Fairness::bounded, threads, hold, {}, first, first + 500);
            const std::string text = scene.text("threads alone");
            std::puts(text.c_str());
            EXPECT_LE(scene.simulation.threads().longest_wait, threads * (1 + hold) + 2) << text;
        }
}

// As an Asio context: it is known by its arrivals.
TEST(ArbiterPace, ABusyLoopThatTellsNothingIsServed) {
    for (const Fairness fairness : both)
        for (const double turn : {2., 5., 16., 40., 100.})
            for (const double hold : holds)
                for (const int threads : {1, 4, 16}) {
                    const PaceScene scene(fairness, threads, hold, {{.turns = always(turn), .tells = false}});
                    const std::string text = scene.text(("turns of " + std::to_string(turn)).c_str());
                    std::puts(text.c_str());
                    EXPECT_LE(scene.simulation.loop(0).longest_wait, 5 * turn + 2 * threads * hold + 25) << text;
                    if (fairness == Fairness::bounded) {
                        EXPECT_GE(scene.share, 0.85) << text;
                    }
                }
}

std::vector<std::pair<const char*, Polls>> polls_that_pause(double pause) {
    return {{"jobs after the poll", {.has_jobs_within = false, .pause = pause}},
            {"jobs within the poll, first", {.has_jobs_within = true, .pause = pause}},
            {"jobs within the poll, last", {.has_jobs_within = true, .pause = pause, .are_jobs_first = false}}};
}

// As Node's: immediates; sockets that always have something to read, or have after a moment.
TEST(ArbiterPace, ABusyLoopThatPollsIsServedAndThreadsKeepWhatTheyHave) {
    for (const Fairness fairness : both)
        for (const double pause : {0., 0.1})
            for (const auto& [what, polls] : polls_that_pause(pause))
                for (const double turn : {2., 5., 16., 40., 100.})
                    for (const double hold : some_holds())
                        for (const int threads : {1, 4}) {
                            const PaceScene scene(fairness, threads, hold, {{.turns = always(turn), .polls = polls}});
                            const std::string text =
                                scene.text((what + (", turns of " + std::to_string(turn))).c_str());
                            std::puts(text.c_str());
                            EXPECT_LE(scene.simulation.loop(0).longest_wait, 4 * (turn + pause) + threads * hold + 21)
                                << text;
                            if (fairness == Fairness::bounded) {
                                EXPECT_GE(scene.share, turn > 2 ? 0.9 : 0.88) << text;
                            }
                        }
}

// As one that has frames to draw, or requests to answer that come from afar.
TEST(ArbiterPace, ALoopThatPollsAndSleepsBetweenJobsIsServed) {
    for (const Fairness fairness : both)
        for (const double turn : {2., 5., 16., 40., 100.})
            for (const double pause : {0.25 * turn, turn})
                for (const auto& [what, polls] : polls_that_pause(pause))
                    for (const double hold : some_holds())
                        for (const int threads : {1, 4}) {
                            const PaceScene scene(fairness, threads, hold, {{.turns = always(turn), .polls = polls}});
                            const std::string text =
                                scene.text((what + (", turns of " + std::to_string(turn)) + " and pauses").c_str());
                            std::puts(text.c_str());
                            EXPECT_LE(scene.simulation.loop(0).longest_wait,
                                      5 * (turn + pause) + 2 * threads * hold + 25)
                                << text;
                            if (fairness == Fairness::bounded) {
                                EXPECT_GE(scene.share, 0.85) << text;
                            }
                        }
}

std::vector<std::pair<const char*, Polls>> hosts_that_pause(double pause) {
    return {{"less urgent jobs", {.has_jobs_within = false, .pause = pause}},
            {"jobs before the loop's", {.has_jobs_within = true, .pause = pause}},
            {"jobs after the loop's", {.has_jobs_within = true, .pause = pause, .are_jobs_first = false}}};
}

// As GLib's, which tells exactly when it sleeps: so it is served as futon's own.
TEST(ArbiterPace, ABusyLoopInAHostsIsServedAndThreadsKeepWhatTheyHave) {
    for (const Fairness fairness : both)
        for (const double pause : {0., 0.1})
            for (const auto& [what, polls] : hosts_that_pause(pause))
                for (const double turn : {2., 5., 16., 40., 100.})
                    for (const double hold : some_holds())
                        for (const int threads : {1, 4}) {
                            const PaceScene scene(fairness, threads, hold,
                                                  {{.turns = always(turn), .polls = polls, .is_hosted = true}});
                            const std::string text =
                                scene.text((what + (", turns of " + std::to_string(turn))).c_str());
                            std::puts(text.c_str());
                            EXPECT_LE(scene.simulation.loop(0).longest_wait, 4 * (turn + pause) + threads * hold + 21)
                                << text;
                            if (fairness == Fairness::bounded) {
                                EXPECT_GE(scene.share, 0.9) << text;
                            }
                        }
}

TEST(ArbiterPace, ALoopInAHostsThatSleepsBetweenJobsIsServed) {
    for (const Fairness fairness : both)
        for (const double turn : {2., 5., 16., 40., 100.})
            for (const double pause : {0.25 * turn, turn})
                for (const auto& [what, polls] : hosts_that_pause(pause))
                    for (const double hold : some_holds())
                        for (const int threads : {1, 4}) {
                            const PaceScene scene(fairness, threads, hold,
                                                  {{.turns = always(turn), .polls = polls, .is_hosted = true}});
                            const std::string text =
                                scene.text((what + (", turns of " + std::to_string(turn)) + " and pauses").c_str());
                            std::puts(text.c_str());
                            EXPECT_LE(scene.simulation.loop(0).longest_wait, 5 * (turn + pause) + threads * hold + 21)
                                << text;
                            if (fairness == Fairness::bounded) {
                                EXPECT_GE(scene.share, 0.88) << text;
                            }
                        }
}

TEST(ArbiterPace, ALoopThatPollsAndWaitsForTheResourceAloneIsServedAtOnce) {
    for (const Fairness fairness : both)
        for (const double turn : {2., 16., 100.})
            for (const double hold : some_holds()) {
                const Polls polls{.has_jobs_within = true, .pause = 0.1, .answers = true};
                const PaceScene scene(fairness, 4, hold, {{.turns = always(turn), .polls = polls}});
                std::puts(scene.text("a job once one was served").c_str());
                EXPECT_LE(scene.simulation.loop(0).longest_wait, 4 * hold + 5) << scene.text("");
            }
}

TEST(ArbiterPace, TasksOfABusyLoopAreServedOneATurn) {
    for (const Fairness fairness : both)
        for (const bool tells : {true, false})
            for (const double turn : {16., 40., 100.})
                for (const double hold : {0.1, 5.}) {
                    const PaceScene scene(fairness, 4, hold, {{.turns = always(turn), .tasks = 8, .tells = tells}});
                    const std::string text = scene.text(("8 tasks, turns of " + std::to_string(turn)).c_str());
                    std::puts(text.c_str());
                    EXPECT_LE(scene.simulation.loop(0).longest_wait, 8 * (2 * turn + 4 * hold)) << text;
                }
}

TEST(ArbiterPace, ALoopWithIrregularTurnsIsServedWithinASecond) {
    const std::vector<std::pair<const char*, std::function<ArbiterSimulation::Turns()>>> kinds = {
        {"nine of ten 2 ms, one 40", [] { return mixed(2, 40, 0.1); }},
        {"half 2 ms, half 40", [] { return mixed(2, 40, 0.5); }},
        {"2 to 38 ms", [] { return uniform(2, 38); }},
        {"5 to 95 ms", [] { return uniform(5, 95); }},
        {"2 and 40 ms by turns", [] { return alternating(2, 40); }},
        {"10 and 60 ms by turns", [] { return alternating(10, 60); }}};
    for (const Fairness fairness : both)
        for (const double hold : holds)
            for (const auto& [what, turns] : kinds) {
                const PaceScene scene(fairness, 4, hold, {{turns()}});
                const std::string text = scene.text(what);
                std::puts(text.c_str());
                EXPECT_LE(scene.simulation.loop(0).longest_wait, 1000) << text;
                if (fairness == Fairness::bounded) {
                    EXPECT_GE(scene.share, 0.8) << text;
                }
            }
}

TEST(ArbiterPace, SeveralBusyLoopsAreServed) {
    for (const Fairness fairness : both)
        for (const double hold : holds) {
            const PaceScene two(fairness, 4, hold, {{always(16)}, {always(40)}});
            std::puts(two.text("16 and 40 ms").c_str());
            EXPECT_LE(two.simulation.loop(0).longest_wait, 4 * 40 + 4 * hold + 20) << two.text("");
            EXPECT_LE(two.simulation.loop(1).longest_wait, 4 * 40 + 4 * hold + 20) << two.text("");
            const PaceScene four(fairness, 4, hold, {{always(16)}, {always(17)}, {always(15)}, {always(18)}});
            std::puts(four.text("four of 16 ms").c_str());
            for (std::size_t i = 0; i < 4; ++i)
                EXPECT_LE(four.simulation.loop(i).longest_wait, 4 * 18 + 4 * hold + 20) << four.text("");
            if (fairness == Fairness::bounded) {
                EXPECT_GE(four.share, hold < 16 ? 0.8 : 0.75) << four.text("");
            }
        }
}

TEST(ArbiterPace, ALoopThatSleepsIsServedAtOnce) {
    for (const Fairness fairness : both)
        for (const double hold : holds) {
            const PaceScene scene(fairness, 4, hold, {{nullptr}});
            std::puts(scene.text("a loop that sleeps").c_str());
            EXPECT_LE(scene.simulation.loop(0).longest_wait, 4 * hold + 5) << scene.text("");
        }
}

TEST(ArbiterPace, LoopsThatDoNotRunCostThreadsNothing) {
    for (const Fairness fairness : both)
        for (const double hold : holds)
            for (const int tasks : {1, 8, 1000})
                for (const std::size_t loops : {1U, 8U})
                    for (const double turn : {0., 16., 40.}) {
                        const Loop dead{turn == 0 ? nullptr : always(turn), tasks, 900};
                        const PaceScene scene(fairness, 4, hold, std::vector<Loop>(loops, dead), 1100, 4000);
                        const std::string text = scene.text((std::to_string(tasks) + " tasks each").c_str());
                        EXPECT_GE(scene.share, 0.95) << text;
                        EXPECT_LE(scene.simulation.threads().longest_wait, 4 * hold + 100) << text;
                    }
}

TEST(ArbiterPace, ALoopThatRunsDoesNotWaitForOthersThatDoNot) {
    for (const Fairness fairness : both)
        for (const int tasks : {1, 66, 1000})
            for (const double turn : {0., 5., 16.}) {
                const Loop dead{always(20), tasks, 20};
                const Loop runs{turn == 0 ? nullptr : always(turn)};
                const PaceScene scene(fairness, 0, 1, {dead, dead, dead, runs});
                const std::string text = scene.text((std::to_string(tasks) + " tasks each").c_str());
                std::puts(text.c_str());
                EXPECT_GE(scene.simulation.loop(3).acquisitions, scene.simulation.turns(3) / 3) << text;
                EXPECT_LE(scene.simulation.loop(3).longest_wait, 2 * turn + 10) << text;
            }
}

}  // namespace
