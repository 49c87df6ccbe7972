// SPDX-License-Identifier: MIT
#include "adapters/scenarios/scene.hpp"

namespace futon::test {

SCENARIO_IF(CancelScenarios, AStopBeforeTheWaitIsTold, host.takes_stops) {
    std::stop_source stop;
    stop.request_stop();

    call(event.waiting(), stop.get_token(), finish_after(1));

    EXPECT_EQ(waiting_at(event), 0u);
    EXPECT_TRUE(results.empty());
    run();
    EXPECT_EQ(results, std::vector{WaitResult::cancelled});
}

SCENARIO_IF(CancelScenarios, WhatIsReadyWinsOverAStop, host.takes_stops) {
    std::stop_source stop;
    stop.request_stop();
    event.set();

    call(event.waiting(), stop.get_token(), finish_after(1));
    run();

    EXPECT_EQ(results, std::vector{WaitResult::ok});
}

SCENARIO_IF(CancelScenarios, AStopOfItsOwnThreadEndsAQueuedWait, host.takes_stops) {
    std::stop_source stop;
    call(event.waiting(), stop.get_token(), finish_after(1));
    EXPECT_EQ(waiting_at(event), 1u);

    stop.request_stop();

    EXPECT_EQ(waiting_at(event), 0u);
    EXPECT_TRUE(results.empty());
    run();
    EXPECT_EQ(results, std::vector{WaitResult::cancelled});
}

SCENARIO_IF(CancelScenarios, AStopOfAnotherThreadEndsTheHostsSleep, host.takes_stops) {
    std::stop_source stop;
    call(event.waiting(), stop.get_token(), finish_after(1));
    std::jthread stopper([&] { stop.request_stop(); });

    run();

    EXPECT_EQ(results, std::vector{WaitResult::cancelled});
}

SCENARIO_IF(CancelScenarios, AStopAfterTheWakeUpComesTooLate, host.takes_stops) {
    std::stop_source stop;
    call(waiting(word, 0), stop.get_token(), finish_after(1));
    notify(word);

    stop.request_stop();
    run();

    EXPECT_EQ(results, std::vector{WaitResult::ok});
}

SCENARIO_IF(CancelScenarios, AStopAfterTheEndChangesNothing, host.takes_stops) {
    std::stop_source stop;
    call(waiting(word, 0), stop.get_token(), finish_after(1));
    notify(word);
    run();

    stop.request_stop();
    settle();

    EXPECT_EQ(results, std::vector{WaitResult::ok});
}

SCENARIO_IF(CancelScenarios, AStopInItsOwnCallbackChangesNothing, host.takes_stops) {
    std::stop_source stop;
    call(event.waiting(), stop.get_token(), [&](WaitResult result) {
        stop.request_stop();
        finish_after(1)(result);
    });
    event.set();

    run();

    EXPECT_EQ(results, std::vector{WaitResult::ok});
}

SCENARIO_IF(CancelScenarios, AStoppedWaitLosesNoLock, host.takes_stops) {
    std::stop_source stop;
    ASSERT_TRUE(lock.try_lock());
    call(lock.locking(), stop.get_token(), [&](Guard guard) {
        EXPECT_EQ(guard.result(), WaitResult::cancelled);
        order += 'a';
    });
    call(lock.locking(), [&](Guard guard) {
        EXPECT_TRUE(guard.owns_lock());
        order += 'b';
        host->stop();
    });

    stop.request_stop();
    lock.unlock();
    run();

    EXPECT_EQ(order, "ab");
    expect_free();
}

SCENARIO_IF(CancelScenarios, AStoppedWaitLosesNoItem, host.takes_stops) {
    Channel<int> channel(1);
    std::stop_source stop;
    call(channel.receiving(), stop.get_token(),
         [&](Received<int> item) { EXPECT_EQ(item.result(), ChannelResult::cancelled); });
    int got = 0;
    call(channel.receiving(), [&](Received<int> item) {
        got = item.value_or(-1);
        host->stop();
    });

    stop.request_stop();
    EXPECT_TRUE(channel.try_send(7));
    run();

    EXPECT_EQ(got, 7);
}

SCENARIO_IF(CancelScenarios, AStopAgainstANotifyEndsEachWaitOnce, host.takes_stops) {
    for (int round = 0; round < 300; ++round) {
        results.clear();
        std::atomic<int> cell{0};
        std::stop_source stop;
        call(waiting(cell, 0), stop.get_token(), finish_after(1));
        std::size_t woken = 0;
        {
            std::jthread waker([&] { woken = notify(cell); });
            std::jthread stopper([&] { stop.request_stop(); });
            run();
        }
        ASSERT_EQ(results.size(), 1u);
        ASSERT_EQ(results[0], woken == 1 ? WaitResult::ok : WaitResult::cancelled);
    }
}

SCENARIO(CancelScenarios, ADeadlineAgainstANotifyEndsEachWaitOnce) {
    for (int round = 0; round < 100; ++round) {
        results.clear();
        std::atomic<int> cell{0};
        const Deadline deadline(200us);
        call(waiting(cell, 0), deadline, finish_after(1));
        std::size_t woken = 0;
        {
            std::jthread waker([&] {
                until_after(deadline.time_point());
                woken = notify(cell);
            });
            run();
        }
        ASSERT_EQ(results, std::vector{woken == 1 ? WaitResult::ok : WaitResult::timed_out});
    }
}

SCENARIO_IF(CancelScenarios, AHandleCancelsInEveryPhase, host.is_agent) {
    const auto begin = [&] { return call_back(lock.locking(), never_called()); };
    CallHandle done_at_once = begin();
    CallHandle queued = begin();
    CallHandle handed_over = begin();
    CallHandle behind = begin();

    EXPECT_TRUE(queued.cancel());
    EXPECT_TRUE(done_at_once.cancel());  // hands the lock to the next
    EXPECT_TRUE(handed_over.cancel());
    EXPECT_TRUE(behind.cancel());

    EXPECT_TRUE(callbacks_are_destroyed());
    settle();
    expect_free();
}

SCENARIO_IF(CancelScenarios, DroppingAPromiseLeavesTheQueue, host.is_agent) {
    {
        auto pending = promise_of(event.waiting());
        EXPECT_EQ(waiting_at(event), 1u);
    }

    EXPECT_EQ(waiting_at(event), 0u);
    settle();
}

}  // namespace futon::test
