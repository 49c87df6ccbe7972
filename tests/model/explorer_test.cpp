// SPDX-License-Identifier: MIT
// That the explorer, in skipping what it has seen, loses nothing; and what it calls the memory of a schedule.
#include <cstdint>
#include <mutex>
#include <string>

#include <futon/core/atomic.hpp>
#include <futon/futon.hpp>

#include "explore.hpp"
#include "scene.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Deadline;
using futon::WaitResult;
using futon::explorer::explore;
using futon::explorer::Options;
using futon::explorer::spawn;
using futon::test::count;
using futon::test::Scene;

/// Explores with and without skipping, and expects the same ends.
void expect_same_ends(Options options, const std::function<void()>& program) {
    options.counts_ends = true;
    const auto skipping = explore(options, program);
    options.skips_seen = false;
    const auto whole = explore(options, program);
    std::printf("%llu schedules of %llu, %llu ends\n", static_cast<unsigned long long>(skipping.schedules),
                static_cast<unsigned long long>(whole.schedules), static_cast<unsigned long long>(whole.ends));
    EXPECT_TRUE(skipping.is_exhausted && whole.is_exhausted);
    EXPECT_LT(skipping.schedules, whole.schedules);
    EXPECT_GT(whole.ends, 1u);
    EXPECT_EQ(skipping.ends, whole.ends);
    EXPECT_EQ(skipping.ends_digest, whole.ends_digest);
}

TEST(ModelExplorer, SkippingLosesNoEndOfTimedWaits) {
    expect_same_ends({.preemptions = 2}, [] {
        Scene scene;
        for (int i = 0; i < 2; ++i) spawn("waiter", [&] { count(scene, futon::wait(scene.word(), 0, 1ms)); });
        spawn("notifier", [&] { scene.notified += futon::notify(scene.word(), 1); });
        futon::explorer::join();
    });
}

TEST(ModelExplorer, SkippingLosesNoEndOfAWaitOnAWeakMemory) {
    expect_same_ends({.preemptions = 3, .stale_loads = 3}, [] {
        Scene scene;
        spawn("waiter", [&] { count(scene, futon::wait(scene.word(), 0)); });
        spawn("notifier", [&] {
            scene.message.store(7);
            scene.word().store(1);
            scene.notified += futon::notify(scene.word());
        });
        futon::explorer::join();
    });
}

TEST(ModelExplorer, SkippingLosesNoEndOfAWaitWithAStop) {
    expect_same_ends({.preemptions = 2}, [] {
        Scene scene;
        std::stop_source stop;
        spawn("waiter", [&] { count(scene, futon::wait(scene.word(), 0, {1ms, stop.get_token()})); });
        spawn("notifier", [&] { scene.notified += futon::notify(scene.word(), 1); });
        spawn("stopper", [&] { stop.request_stop(); });
        futon::explorer::join();
    });
}

TEST(ModelExplorer, SkippingLosesNoEndOfALock) {
    expect_same_ends({.preemptions = 2, .clock_leaps = 1}, [] {
        futon::AsyncLock lock;
        for (int i = 0; i < 2; ++i) spawn("thread", [&] { const std::scoped_lock hold(lock); });
        spawn("loop", [&] {
            futon::EventLoop loop;
            lock.execute_locked([] {});
            loop.run();
        });
        futon::explorer::join();
    });
}

TEST(ModelExplorer, SkippingLosesNoEndOfPromises) {
    expect_same_ends({.preemptions = 1}, [] {
        Scene scene;
        spawn("loop", [&] {
            futon::EventLoop loop;
            for (const Deadline deadline : {Deadline(1ms), Deadline::never()})
                [](Scene& to, Deadline until) -> futon::Promise<void> {
                    const WaitResult result = co_await futon::wait_async(to.word(), 0, until);
                    count(to, result);
                }(scene, deadline);
            loop.run();
        });
        spawn("waiter", [&] { count(scene, futon::wait(scene.word(), 0)); });
        spawn("notifier", [&] {
            scene.word().store(1);
            scene.notified += futon::notify(scene.word());
        });
        futon::explorer::join();
    });
}

using futon::core::Atomic;
using futon::explorer::name;

/// The trace of a program that fails in its first schedule.
std::string trace_of(const std::function<void()>& program) {
    return explore({},
                   [&] {
                       program();
                       futon::explorer::fail("this is the end");
                   })
        .trace;
}

struct Pair {
    Atomic<std::int32_t> first{0};
    Atomic<std::int32_t> second{0};
};

TEST(ModelExplorer, CallsANamedObjectByItsName) {
    const std::string trace = trace_of([] {
        Atomic<int> named{0};
        Atomic<int> other{0};
        name(named, "flag");
        named.store(1);
        other.store(1);
    });

    EXPECT_EQ(trace, "  0 program: store flag\n  0 program: store #1\n");
}

TEST(ModelExplorer, CallsWhatLiesInANamedObjectByItsDistance) {
    const std::string trace = trace_of([] {
        Pair pair;
        name(pair, "pair");
        pair.first.store(1);
        pair.second.store(1);
    });

    EXPECT_EQ(trace, "  0 program: store pair\n  0 program: store pair+4\n");
}

TEST(ModelExplorer, CallsAPartByTheNameThatWasGivenLast) {
    const std::string trace = trace_of([] {
        Pair pair;
        name(pair, "pair");
        name(pair.second, "second");
        pair.first.store(1);
        pair.second.store(1);
        name(pair.second, "other");
        pair.second.store(1);
        name(pair, "");
        pair.first.store(1);
    });

    EXPECT_EQ(trace,
              "  0 program: store pair\n  0 program: store second\n  0 program: store other\n  0 program: store #1\n");
}

TEST(ModelExplorer, CallsAnObjectByItsNameAlsoBeforeThatWasGiven) {
    const std::string trace = trace_of([] {
        Atomic<int> word{0};
        word.store(1);
        name(&word, sizeof word, "word");
    });

    EXPECT_EQ(trace, "  0 program: store word\n");
}

TEST(ModelExplorer, SaysOnWhichNamedWordsThreadsOfADeadlockWait) {
    const auto report = explore({}, [] {
        Atomic<int> word{0};
        name(word, "gate");
        spawn("sleeper", [&] { futon::wait(word, 0); });
        spawn("other", [&] { futon::wait(word, 0); });
        futon::explorer::join();
    });

    EXPECT_EQ(report.failure,
              "deadlock: no fiber can go on, so a wake-up was lost. Waiting: 1 sleeper, after load gate; 2 other, "
              "after load gate");
}

TEST(ModelExplorer, SaysOfWhichNamedVariableADataRaceIs) {
    const auto report = explore({.preemptions = 1, .stale_loads = 1}, [] {
        futon::explorer::Shared sum;
        name(sum, "sum");
        for (const char* thread : {"A", "B"}) spawn(thread, [&] { sum.store(1); });
        futon::explorer::join();
    });

    EXPECT_EQ(report.failure, "data race on sum: a store is not ordered before this store");
}

TEST(ModelExplorer, ForgetsNamesWithTheirSchedule) {
    static Atomic<int> word{0};
    int schedules = 0;
    const auto report = explore({}, [&] {
        if (++schedules == 1) name(word, "of the first");
        const std::size_t chosen = futon::explorer::choose(2);
        word.store(1);
        futon::explorer::check(chosen == 0, "the second fails");
    });

    EXPECT_EQ(report.trace, "  0 program: store #1\n");
}

TEST(ModelExplorer, NamesChangeNoSchedule) {
    const auto program = [](bool is_named) {
        return [is_named] {
            Scene scene;
            if (is_named) name(scene, "scene");
            spawn("waiter", [&] { count(scene, futon::wait(scene.word(), 0, 1ms)); });
            spawn("notifier", [&] { scene.notified += futon::notify(scene.word(), 1); });
            futon::explorer::join();
        };
    };
    const auto plain = explore({.preemptions = 2, .allocation_failures = 1, .counts_ends = true}, program(false));
    const auto named = explore({.preemptions = 2, .allocation_failures = 1, .counts_ends = true}, program(true));

    EXPECT_EQ(plain.schedules, named.schedules);
    EXPECT_EQ(plain.ends_digest, named.ends_digest);
}

}  // namespace
