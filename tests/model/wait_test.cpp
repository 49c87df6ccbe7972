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

TEST(ModelWait, AStoreWithNotifyIsNeverMissed) {
    expect_holds("wait, store + notify", {}, [] {
        Scene scene;
        spawn("waiter", [&] { count(scene, futon::wait(scene.word(), 0)); });
        spawn("notifier", [&] {
            scene.word().store(1);
            scene.notified += futon::notify(scene.word());
        });
        futon::explorer::join();
        scene.check_all_accounted();
    });
}

TEST(ModelWait, AStoreWithNotifyIsNeverMissedOnAWeakMemory) {
    expect_holds("wait, store + notify, weak", {.stale_loads = 3}, [] {
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
        futon::explorer::join();
        scene.check_all_accounted();
    });
}

TEST(ModelChange, ThatNotifiesIsNeverMissed) {
    expect_holds("wait, exchange and notify", {}, [] {
        Scene scene;
        spawn("waiter", [&] { count(scene, futon::wait(scene.word(), 0)); });
        spawn("notifier", [&] { check(futon::exchange_and_notify(scene.word(), 1) == 0, "the old value"); });
        futon::explorer::join();
        check(futon::core::process_table().count(&scene.cell) == 0, "no waiter is queued");
    });
}

TEST(ModelChange, ThatNotifiesIsNeverMissedOnAWeakMemory) {
    expect_holds("wait, store and notify, weak", {.stale_loads = 3}, [] {
        Scene scene;
        spawn("waiter", [&] {
            count(scene, futon::wait(scene.word(), 0));
            check(scene.message.load() == 7, "what came before the change is seen");
        });
        spawn("notifier", [&] {
            scene.message.store(7);
            scene.notified += futon::store_and_notify(scene.word(), 1);
        });
        futon::explorer::join();
        scene.check_all_accounted();
    });
}

TEST(ModelChange, ThatAddsAndNotifiesIsNeverMissedByTwoOnAWeakMemory) {
    expect_holds("two waiters, two adders, weak", {.stale_loads = 1}, [] {
        Scene scene;
        for (const char* name : {"waiter 1", "waiter 2"})
            spawn(name, [&] {
                for (int seen = 0; (seen = scene.word().load()) < 2;) futon::wait(scene.word(), seen);
            });
        for (const char* name : {"adder 1", "adder 2"})
            spawn(name, [&] { futon::fetch_add_and_notify(scene.word(), 1); });
        futon::explorer::join();
        check(futon::core::process_table().count(&scene.cell) == 0, "no waiter is queued");
    });
}

TEST(ModelWait, TwoNotifiersWakeTwoWaitersInOrder) {
    expect_holds("two waiters, two notifiers", {}, [] {
        Scene scene;
        spawn("waiter 1", [&] { count(scene, futon::wait(scene.word(), 0)); });
        spawn("waiter 2", [&] { count(scene, futon::wait(scene.word(), 0)); });
        spawn("notifier 1", [&] { scene.notified += futon::notify(scene.word(), 1); });
        spawn("notifier 2", [&] {
            scene.word().store(1);
            scene.notified += futon::notify(scene.word());
        });
        futon::explorer::join();
        scene.check_all_accounted();
    });
}

TEST(ModelWait, ATimeoutAndANotifyAgree) {
    expect_holds("timed waiters, notifier", {}, [] {
        Scene scene;
        for (const char* name : {"waiter 1", "waiter 2"})
            spawn(name, [&] { count(scene, futon::wait(scene.word(), 0, 1ms)); });
        spawn("notifier", [&] { scene.notified += futon::notify(scene.word(), 1); });
        futon::explorer::join();
        scene.check_all_accounted();
    });
}

TEST(ModelWait, AStopATimeoutAndANotifyAgree) {
    expect_holds("stop, timeout, notify", {}, [] {
        Scene scene;
        std::stop_source stop;
        spawn("waiter 1", [&] { count(scene, futon::wait(scene.word(), 0, {1ms, stop.get_token()})); });
        spawn("waiter 2", [&] { count(scene, futon::wait(scene.word(), 0, stop.get_token())); });
        spawn("notifier", [&] { scene.notified += futon::notify(scene.word(), 1); });
        spawn("stopper", [&] { stop.request_stop(); });
        futon::explorer::join();
        scene.check_all_accounted();
    });
}

}  // namespace
