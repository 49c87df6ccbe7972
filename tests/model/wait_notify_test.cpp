// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

#include "explore.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Deadline;
using futon::WaitResult;
using futon::model::check;
using futon::model::Options;
using futon::model::Shared;
using futon::model::spawn;
using futon::test::expect_holds;

/// What everybody waits on, and what came of it.
struct Scene {
    int cell = 0;
    Shared message;
    std::size_t notified = 0;
    std::size_t ok = 0;

    futon::Word<int> word() { return cell; }

    /// Ends the schedule as a failure unless each wake was counted once, and nobody is left in line.
    void check_all_accounted() {
        check(notified == ok, "the sum of notify's results is the number of ok");
        check(futon::core::process_table().count(&cell) == 0, "nobody is left in line");
    }
};

void count(Scene& scene, WaitResult result) {
    if (result == WaitResult::ok) ++scene.ok;
}

TEST(ModelWait, AStoreWithNotifyIsNeverMissed) {
    expect_holds("wait, store + notify", {.preemptions = 3}, [] {
        Scene scene;
        spawn("waiter", [&] { count(scene, futon::wait(scene.word(), 0)); });
        spawn("notifier", [&] {
            scene.word().store(1);
            scene.notified += futon::notify(scene.word());
        });
        futon::model::join();
        scene.check_all_accounted();
    });
}

TEST(ModelWait, AStoreWithNotifyIsNeverMissedOnAWeakMemory) {
    expect_holds("wait, store + notify, weak", {.preemptions = 3, .stale_loads = 3}, [] {
        Scene scene;
        spawn("waiter", [&] {
            count(scene, futon::wait(scene.word(), 0));
            check(scene.message.load() == 7, "what came before the notify is seen");
        });
        spawn("notifier", [&] {
            scene.message.store(7);
            scene.word().store(1);
            scene.notified += futon::notify(scene.word());
        });
        futon::model::join();
        scene.check_all_accounted();
    });
}

TEST(ModelWait, TwoNotifiersWakeTwoWaitersInOrder) {
    expect_holds("two waiters, two notifiers", {.preemptions = 2}, [] {
        Scene scene;
        spawn("waiter 1", [&] { count(scene, futon::wait(scene.word(), 0)); });
        spawn("waiter 2", [&] { count(scene, futon::wait(scene.word(), 0)); });
        spawn("notifier 1", [&] { scene.notified += futon::notify(scene.word(), 1); });
        spawn("notifier 2", [&] {
            scene.word().store(1);
            scene.notified += futon::notify(scene.word());
        });
        futon::model::join();
        scene.check_all_accounted();
    });
}

TEST(ModelWait, ATimeoutAndANotifyAgree) {
    expect_holds("timed waiters, notifier", {.preemptions = 3}, [] {
        Scene scene;
        for (const char* name : {"waiter 1", "waiter 2"})
            spawn(name, [&] { count(scene, futon::wait(scene.word(), 0, 1ms)); });
        spawn("notifier", [&] { scene.notified += futon::notify(scene.word(), 1); });
        futon::model::join();
        scene.check_all_accounted();
    });
}

TEST(ModelWait, AStopATimeoutAndANotifyAgree) {
    expect_holds("stop, timeout, notify", {.preemptions = 2}, [] {
        Scene scene;
        std::stop_source stop;
        spawn("waiter 1", [&] { count(scene, futon::wait(scene.word(), 0, 1ms, stop.get_token())); });
        spawn("waiter 2", [&] { count(scene, futon::wait(scene.word(), 0, Deadline::never(), stop.get_token())); });
        spawn("notifier", [&] { scene.notified += futon::notify(scene.word(), 1); });
        spawn("stopper", [&] { stop.request_stop(); });
        futon::model::join();
        scene.check_all_accounted();
    });
}

futon::Promise<void> wait_async(Scene& scene, Deadline deadline, std::stop_token stop) {
    const WaitResult result = co_await futon::wait_async(scene.word(), 0, deadline, stop);
    count(scene, result);
}

TEST(ModelWaitAsync, PromisesAndThreadsShareOneLine) {
    expect_holds("thread, promise, two notifiers", {.preemptions = 2}, [] {
        Scene scene;
        spawn("loop", [&] {
            futon::EventLoop loop;
            wait_async(scene, Deadline::never(), {});
            loop.run();
        });
        spawn("waiter", [&] { count(scene, futon::wait(scene.word(), 0)); });
        spawn("notifier 1", [&] { scene.notified += futon::notify(scene.word(), 1); });
        spawn("notifier 2", [&] {
            scene.word().store(1);
            scene.notified += futon::notify(scene.word());
        });
        futon::model::join();
        scene.check_all_accounted();
    });
}

TEST(ModelWaitAsync, TheMessageOfANotifyReachesTheLoopOnAWeakMemory) {
    expect_holds("promise, message, weak", {.preemptions = 2, .stale_loads = 2}, [] {
        Scene scene;
        spawn("loop", [&] {
            futon::EventLoop loop;
            auto reader = [&]() -> futon::Promise<void> {
                const WaitResult result = co_await futon::wait_async(scene.word(), 0);
                count(scene, result);
                check(scene.message.load() == 7, "what came before the notify is seen");
            };
            const auto reading = reader();
            loop.run();
        });
        spawn("notifier", [&] {
            scene.message.store(7);
            scene.word().store(1);
            scene.notified += futon::notify(scene.word());
        });
        futon::model::join();
        scene.check_all_accounted();
    });
}

TEST(ModelWaitAsync, ATimeoutAStopAndANotifyAgree) {
    expect_holds("promises with deadline and stop, notifier", {.preemptions = 2}, [] {
        Scene scene;
        std::stop_source stop;
        spawn("loop", [&] {
            futon::EventLoop loop;
            wait_async(scene, 1ms, stop.get_token());
            wait_async(scene, Deadline::never(), stop.get_token());
            loop.run();
        });
        spawn("notifier", [&] { scene.notified += futon::notify(scene.word(), 1); });
        spawn("stopper", [&] { stop.request_stop(); });
        futon::model::join();
        scene.check_all_accounted();
    });
}

TEST(ModelWaitAsync, ALoopMayEndWhileItsWaitersAreNotified) {
    expect_holds("loop ends, two notifiers", {.preemptions = 3}, [] {
        Scene scene;
        std::size_t settled = 0;
        spawn("loop", [&] {
            futon::EventLoop loop;
            std::vector<futon::Promise<WaitResult>> promises;
            for (int i = 0; i < 2; ++i) {
                futon::WaitAsyncResult result = futon::wait_async(scene.word(), 0);
                if (result.async()) promises.push_back(std::move(result).promise());
            }
            loop.poll();
            for (const auto& promise : promises) settled += promise.is_settled();
        });
        spawn("notifier 1", [&] { scene.notified += futon::notify(scene.word(), 1); });
        spawn("notifier 2", [&] { scene.notified += futon::notify(scene.word(), 1); });
        futon::model::join();
        check(settled <= scene.notified, "nobody settles who was not notified");
        check(futon::core::process_table().count(&scene.cell) == 0, "nobody is left in line");
    });
}

TEST(ModelEventLoop, AStopMayBeFollowedByTheEndOfTheLoop) {
    expect_holds("stop, end of the loop", {.preemptions = 3}, [] {
        futon::EventLoop* made = nullptr;
        int ready = 0;
        spawn("loop", [&] {
            futon::EventLoop own;
            made = &own;
            futon::Word(ready).store(1);
            futon::notify(futon::Word(ready));
            int never = 0;
            auto waiting = futon::wait_async(futon::Word(never), 0).promise();
            own.run();
        });
        spawn("stopper", [&] {
            futon::wait(futon::Word(ready), 0);
            made->stop();
        });
        futon::model::join();
    });
}

}  // namespace
