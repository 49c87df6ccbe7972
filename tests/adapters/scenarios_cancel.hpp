// SPDX-License-Identifier: MIT
#pragma once

#include "adapters/scene.hpp"

namespace futon::test {

template <class Host>
class CancelScenarios : public Scene<Host> {};
TYPED_TEST_SUITE(CancelScenarios, TestedHosts);

TYPED_TEST(CancelScenarios, AStopBeforeTheWaitIsTold) {
    std::stop_source stop;
    stop.request_stop();

    this->call(this->event.waiting(), stop.get_token(), this->finish_after(1));

    EXPECT_EQ(waiting_at(this->event), 0u);
    EXPECT_TRUE(this->results.empty());
    this->run();
    EXPECT_EQ(this->results, std::vector{WaitResult::cancelled});
}

TYPED_TEST(CancelScenarios, WhatIsReadyWinsOverAStop) {
    std::stop_source stop;
    stop.request_stop();
    this->event.set();

    this->call(this->event.waiting(), stop.get_token(), this->finish_after(1));
    this->run();

    EXPECT_EQ(this->results, std::vector{WaitResult::ok});
}

TYPED_TEST(CancelScenarios, AStopOfItsOwnThreadEndsAQueuedWait) {
    std::stop_source stop;
    this->call(this->event.waiting(), stop.get_token(), this->finish_after(1));
    EXPECT_EQ(waiting_at(this->event), 1u);

    stop.request_stop();

    EXPECT_EQ(waiting_at(this->event), 0u);
    EXPECT_TRUE(this->results.empty());
    this->run();
    EXPECT_EQ(this->results, std::vector{WaitResult::cancelled});
}

TYPED_TEST(CancelScenarios, AStopOfAnotherThreadEndsTheHostsSleep) {
    std::stop_source stop;
    this->call(this->event.waiting(), stop.get_token(), this->finish_after(1));
    std::jthread stopper([&] { stop.request_stop(); });

    this->run();

    EXPECT_EQ(this->results, std::vector{WaitResult::cancelled});
}

TYPED_TEST(CancelScenarios, AStopAfterTheWakeUpComesTooLate) {
    std::stop_source stop;
    this->call(waiting(this->word, 0), stop.get_token(), this->finish_after(1));
    notify(this->word);

    stop.request_stop();
    this->run();

    EXPECT_EQ(this->results, std::vector{WaitResult::ok});
}

TYPED_TEST(CancelScenarios, AStopAfterTheEndChangesNothing) {
    std::stop_source stop;
    this->call(waiting(this->word, 0), stop.get_token(), this->finish_after(1));
    notify(this->word);
    this->run();

    stop.request_stop();
    this->settle();

    EXPECT_EQ(this->results, std::vector{WaitResult::ok});
}

TYPED_TEST(CancelScenarios, AStopInItsOwnCallbackChangesNothing) {
    std::stop_source stop;
    this->call(this->event.waiting(), stop.get_token(), [&](WaitResult result) {
        stop.request_stop();
        this->finish_after(1)(result);
    });
    this->event.set();

    this->run();

    EXPECT_EQ(this->results, std::vector{WaitResult::ok});
}

TYPED_TEST(CancelScenarios, AStoppedWaitLosesNoLock) {
    std::stop_source stop;
    ASSERT_TRUE(this->lock.try_lock());
    this->call(this->lock.locking(), stop.get_token(), [&](Guard guard) {
        EXPECT_EQ(guard.result(), WaitResult::cancelled);
        this->order += 'a';
    });
    this->call(this->lock.locking(), [&](Guard guard) {
        EXPECT_TRUE(guard.owns_lock());
        this->order += 'b';
        this->host->stop();
    });

    stop.request_stop();
    this->lock.unlock();
    this->run();

    EXPECT_EQ(this->order, "ab");
    this->expect_free();
}

TYPED_TEST(CancelScenarios, AStoppedWaitLosesNoItem) {
    Channel<int> channel(1);
    std::stop_source stop;
    this->call(channel.receiving(), stop.get_token(),
               [&](Received<int> item) { EXPECT_EQ(item.result(), ChannelResult::cancelled); });
    int got = 0;
    this->call(channel.receiving(), [&](Received<int> item) {
        got = item.value_or(-1);
        this->host->stop();
    });

    stop.request_stop();
    EXPECT_TRUE(channel.try_send(7));
    this->run();

    EXPECT_EQ(got, 7);
}

TYPED_TEST(CancelScenarios, AStopAgainstANotifyEndsEachWaitOnce) {
    for (int round = 0; round < 300; ++round) {
        this->results.clear();
        std::atomic<int> cell{0};
        std::stop_source stop;
        this->call(waiting(cell, 0), stop.get_token(), this->finish_after(1));
        std::size_t woken = 0;
        {
            std::jthread waker([&] { woken = notify(cell); });
            std::jthread stopper([&] { stop.request_stop(); });
            this->run();
        }
        ASSERT_EQ(this->results.size(), 1u);
        ASSERT_EQ(this->results[0], woken == 1 ? WaitResult::ok : WaitResult::cancelled);
    }
}

TYPED_TEST(CancelScenarios, ADeadlineAgainstANotifyEndsEachWaitOnce) {
    for (int round = 0; round < 100; ++round) {
        this->results.clear();
        std::atomic<int> cell{0};
        const Deadline deadline(200us);
        this->call(waiting(cell, 0), deadline, this->finish_after(1));
        std::size_t woken = 0;
        {
            std::jthread waker([&] {
                until_after(deadline.time_point());
                woken = notify(cell);
            });
            this->run();
        }
        ASSERT_EQ(this->results, std::vector{woken == 1 ? WaitResult::ok : WaitResult::timed_out});
    }
}

TYPED_TEST(CancelScenarios, AHandleCancelsInEveryPhase) {
    if constexpr (!TypeParam::is_agent) {
        GTEST_SKIP() << "no agent";
    } else {
        const auto begin = [&] { return call_back(this->lock.locking(), this->never_called()); };
        CallHandle done_at_once = begin();
        CallHandle queued = begin();
        CallHandle handed_over = begin();
        CallHandle behind = begin();

        EXPECT_TRUE(queued.cancel());
        EXPECT_TRUE(done_at_once.cancel());  // hands the lock to the next
        EXPECT_TRUE(handed_over.cancel());
        EXPECT_TRUE(behind.cancel());

        EXPECT_TRUE(this->callbacks_are_destroyed());
        this->settle();
        this->expect_free();
    }
}

TYPED_TEST(CancelScenarios, DroppingAPromiseLeavesTheQueue) {
    if constexpr (!TypeParam::is_agent) {
        GTEST_SKIP() << "no agent";
    } else {
        {
            auto promise = this->event.wait_async();
            auto pending = promise_of(this->event.waiting());
            EXPECT_EQ(waiting_at(this->event), 1u);
        }

        EXPECT_EQ(waiting_at(this->event), 0u);
        this->settle();
    }
}

}  // namespace futon::test
