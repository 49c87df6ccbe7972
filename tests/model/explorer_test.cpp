// SPDX-License-Identifier: MIT
// That the explorer, in skipping what it has seen, loses nothing.
#include <mutex>

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
        spawn("waiter", [&] { count(scene, futon::wait(scene.word(), 0, 1ms, stop.get_token())); });
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

}  // namespace
