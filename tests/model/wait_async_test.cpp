// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

#include "explore.hpp"
#include "scene.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Deadline;
using futon::WaitResult;
using futon::explorer::check;
using futon::explorer::spawn;
using futon::test::count;
using futon::test::expect_holds;
using futon::test::Scene;

futon::Promise<void> wait_async(Scene& scene, futon::Limits limits) {
    const WaitResult result = co_await futon::wait_async(scene.word(), 0, limits);
    count(scene, result);
}

TEST(ModelWaitAsync, PromisesAndThreadsShareOneQueue) {
    expect_holds("thread, promise, two notifiers", {}, [] {
        Scene scene;
        spawn("loop", [&] {
            futon::EventLoop loop;
            wait_async(scene, {});
            loop.run();
        });
        spawn("waiter", [&] { count(scene, futon::wait(scene.word(), 0)); });
        spawn("notifier 1", [&] { scene.notified += futon::notify(scene.word(), 1); });
        spawn("notifier 2", [&] {
            scene.word().store(1);
            scene.notified += futon::notify(scene.word());
        });
        futon::explorer::join();
        scene.check_all_accounted();
    });
}

TEST(ModelWaitAsync, TheMessageOfANotifyReachesTheLoopOnAWeakMemory) {
    expect_holds("promise, message, weak", {.stale_loads = 2}, [] {
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
        futon::explorer::join();
        scene.check_all_accounted();
    });
}

TEST(ModelWaitAsync, ATimeoutAStopAndANotifyAgree) {
    expect_holds("promises with deadline and stop, notifier", {.preemptions = 3}, [] {
        Scene scene;
        std::stop_source stop;
        spawn("loop", [&] {
            futon::EventLoop loop;
            wait_async(scene, {1ms, stop.get_token()});
            wait_async(scene, stop.get_token());
            loop.run();
        });
        spawn("notifier", [&] { scene.notified += futon::notify(scene.word(), 1); });
        spawn("stopper", [&] { stop.request_stop(); });
        futon::explorer::join();
        scene.check_all_accounted();
    });
}

TEST(ModelWaitAsync, AStopIsNeverMissed) {
    expect_holds("a promise with a stop, a stopper", {}, [] {
        Scene scene;
        std::stop_source stop;
        spawn("loop", [&] {
            futon::EventLoop loop;
            wait_async(scene, stop.get_token());
            loop.run();
        });
        spawn("stopper", [&] { stop.request_stop(); });
        futon::explorer::join();
        scene.check_all_accounted();
    });
}

TEST(ModelWaitAsync, ALoopMayEndWhileItsWaitersAreNotified) {
    expect_holds("loop ends, two notifiers", {}, [] {
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
        futon::explorer::join();
        check(settled <= scene.notified, "no promise settles that was not notified");
        check(futon::core::process_table().count(&scene.cell) == 0, "no waiter is queued");
    });
}

/// Two threads and two promises wait, two others notify one and all, and `limit` says what else may end their waits.
enum class Limit { deadline, stop };

void two_of_each_kind(const char* name, Limit limit) {
    expect_holds(name, {.preemptions = 2}, [limit] {
        Scene scene;
        std::stop_source stop;
        spawn("loop", [&] {
            futon::EventLoop loop;
            wait_async(scene, limit == Limit::deadline ? futon::Limits(1ms) : futon::Limits(stop.get_token()));
            wait_async(scene, {});
            loop.run();
        });
        for (int i = 0; i < 2; ++i) spawn("waiter", [&] { count(scene, futon::wait(scene.word(), 0)); });
        spawn("notifier of one", [&] { scene.notified += futon::notify(scene.word(), 1); });
        spawn("notifier of all", [&] {
            scene.word().store(1);
            scene.notified += futon::notify(scene.word());
        });
        if (limit == Limit::stop) spawn("stopper", [&] { stop.request_stop(); });
        futon::explorer::join();
        scene.check_all_accounted();
    });
}

TEST(ModelWaitAsync, TwoOfEachKindWithATimerAndTwoNotifiersAreAllAccounted) {
    two_of_each_kind("two threads, two promises, a timer, two notifiers", Limit::deadline);
}

TEST(ModelWaitAsync, TwoOfEachKindWithAStopAndTwoNotifiersAreAllAccounted) {
    two_of_each_kind("two threads, two promises, a stop, two notifiers", Limit::stop);
}

}  // namespace
