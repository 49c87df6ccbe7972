// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

#include "buried.hpp"
#include "explore.hpp"
#include "wait_programs.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Barrier;
using futon::WaitResult;
using futon::core::process_table;
using futon::explorer::check;
using futon::explorer::Shared;
using futon::explorer::spawn;
using futon::test::APhase;
using futon::test::Buried;
using futon::test::expect_holds;
using futon::test::expect_shows_what_came_before;

/// Counts phases, and that each participant has done its step before a phase ends.
struct Completion {
    Shared* steps;
    int participants;
    Shared* phase;

    void operator()() const noexcept {
        phase->store(phase->load() + 1);
        for (int i = 0; i < participants; ++i)
            check(steps[i].load() == phase->load(), "each has arrived, and no one of the next phase");
    }
};

TEST(ModelBarrier, KeepsTwoThreadsInStepOnAWeakMemory) {
    expect_holds("barrier, two threads, three phases, weak", {.preemptions = 3, .stale_loads = 1}, [] {
        Shared steps[2];
        Shared phase;
        Barrier barrier(2, Completion{steps, 2, &phase});
        for (const int i : {0, 1})
            spawn(i == 0 ? "A" : "B", [&, i] {
                for (int n = 1; n <= 3; ++n) {
                    steps[i].store(n);
                    check(barrier.arrive_and_wait() == WaitResult::ok, "the phase is over");
                    check(phase.load() == n, "the completion is seen");
                    // The next phase must not end before this one's waiters have seen this one: it lacks their arrivals.
                }
            });
        futon::explorer::join();
        check(phase.load() == 3 && process_table().count(&barrier) == 0, "three phases, and no waiter is queued");
    });
}

TEST(ModelBarrier, ShowsWhatCameBeforeAnArrivalOnAWeakMemory) {
    expect_shows_what_came_before<APhase>("barrier, a waiter, a poll, weak");
}

TEST(ModelBarrier, KeepsThreeInStepALoopAmongThem) {
    expect_holds("barrier, two threads, a loop, two phases", {.preemptions = 2}, [] {
        Shared steps[3];
        Shared phase;
        Barrier barrier(3, Completion{steps, 3, &phase});
        for (const int i : {0, 1})
            spawn(i == 0 ? "A" : "B", [&, i] {
                for (int n = 1; n <= 2; ++n) {
                    steps[i].store(n);
                    check(barrier.arrive_and_wait() == WaitResult::ok, "the phase is over");
                }
            });
        spawn("loop", [&] {
            futon::EventLoop loop;
            auto work = [&]() -> futon::Promise<void> {
                for (int n = 1; n <= 2; ++n) {
                    steps[2].store(n);
                    check(co_await barrier.arrive_and_wait_async() == WaitResult::ok, "the phase is over");
                }
            };
            loop.run_until(work());
        });
        futon::explorer::join();
        check(phase.load() == 2 && process_table().count(&barrier) == 0, "two phases, and no waiter is queued");
    });
}

TEST(ModelBarrier, ReleasesNoWaiterOfTheNextPhase) {
    expect_holds("barrier, a late waiter, a quick participant", {.preemptions = 4}, [] {
        Barrier barrier(2);
        bool is_over = false;
        spawn("late", [&] {
            const auto arrival = barrier.arrive();
            check(barrier.wait(arrival) == WaitResult::ok, "the first phase is over");
            is_over = true;
            static_cast<void>(barrier.arrive());
        });
        spawn("quick", [&] {
            check(barrier.arrive_and_wait() == WaitResult::ok, "the first phase is over");
            const auto arrival = barrier.arrive();
            check(barrier.wait(arrival) == WaitResult::ok, "the second phase is over");
            check(is_over, "the second phase lacked the other's arrival");
        });
        futon::explorer::join();
    });
}

TEST(ModelBarrier, GoesOnWithoutThoseThatDropOut) {
    expect_holds("barrier, two threads, one that drops out", {.preemptions = 3}, [] {
        int phases = 0;
        Barrier barrier(3, [&]() noexcept { ++phases; });
        spawn("drops out", [&] { barrier.arrive_and_drop(); });
        for (int i = 0; i < 2; ++i)
            spawn("stays", [&] {
                for (int n = 0; n < 2; ++n) check(barrier.arrive_and_wait() == WaitResult::ok, "the phase is over");
            });
        futon::explorer::join();
        check(phases == 2, "two phases");
    });
}

TEST(ModelBarrier, KeepsAnArrivalWhoseWaitTimesOut) {
    expect_holds("barrier, a deadline, two phases", {.preemptions = 3}, [] {
        int phases = 0;
        Barrier barrier(2, [&]() noexcept { ++phases; });
        for (const char* name : {"A", "B"})
            spawn(name, [&] {
                for (int n = 0; n < 2; ++n) {
                    const auto arrival = barrier.arrive();
                    if (barrier.wait(arrival, 1us) != WaitResult::ok)
                        check(barrier.wait(arrival) == WaitResult::ok, "the phase is over");
                }
            });
        futon::explorer::join();
        check(phases == 2 && process_table().count(&barrier) == 0, "two phases, and no waiter is queued");
    });
}

TEST(ModelBarrier, MayBeDestroyedByOneThatSeesItsLastPhaseEnd) {
    expect_holds("barrier, its waiter destroys it", {}, [] {
        Buried<Barrier<>> barrier(2u);
        spawn("last", [&] { static_cast<void>(barrier->arrive()); });
        spawn("owner", [&] {
            const auto arrival = barrier->arrive();
            if (barrier->wait(arrival, 1us) != WaitResult::ok)
                check(barrier->wait(arrival) == WaitResult::ok, "the phase is over");
            barrier.bury();
        });
        futon::explorer::join();
        barrier.check_untouched();
    });
}

TEST(ModelBarrier, IsNotReadOnceItsWaiterHasFreedIt) {
    expect_holds("barrier, its waiter frees it", {.preemptions = 3}, [] {
        auto* barrier = new Barrier<>(2u);
        spawn("last", [=] { check(barrier->arrive_and_wait() == WaitResult::ok, "it has ended the phase"); });
        spawn("owner", [=] {
            const auto arrival = barrier->arrive();
            if (barrier->wait(arrival, 1us) != WaitResult::ok)
                check(barrier->wait(arrival) == WaitResult::ok, "the phase is over");
            delete barrier;
        });
        futon::explorer::join();
    });
}

}  // namespace
