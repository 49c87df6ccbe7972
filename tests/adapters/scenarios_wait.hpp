// SPDX-License-Identifier: MIT
#pragma once

#include "adapters/scene.hpp"

namespace futon::test {

template <class Host>
class WaitScenarios : public Scene<Host> {};
TYPED_TEST_SUITE(WaitScenarios, TestedHosts);

TYPED_TEST(WaitScenarios, ACallbackNeverRunsInsideTheInitiatingCall) {
    this->event.set();

    this->call(this->event.waiting(), this->finish_after(1));

    EXPECT_TRUE(this->results.empty());
    this->run();
    EXPECT_EQ(this->results.size(), 1u);
}

TYPED_TEST(WaitScenarios, NotifyOfAnotherThreadEndsTheHostsSleep) {
    this->call(waiting(this->word, 0), this->finish_after(1));
    std::jthread waker([&] {
        this->word = 1;
        notify(this->word);
    });

    this->run();

    EXPECT_EQ(this->results, std::vector{WaitResult::ok});
}

TYPED_TEST(WaitScenarios, NotifyOfItsOwnThreadIsDeliveredLater) {
    this->call(waiting(this->word, 0), this->finish_after(1));

    EXPECT_EQ(notify(this->word), 1u);

    EXPECT_TRUE(this->results.empty());
    this->run();
    EXPECT_EQ(this->results, std::vector{WaitResult::ok});
}

TYPED_TEST(WaitScenarios, AValueThatHasChangedIsTold) {
    this->word = 1;

    this->call(waiting(this->word, 0), this->finish_after(1));
    this->run();

    EXPECT_EQ(this->results, std::vector{WaitResult::not_equal});
}

TYPED_TEST(WaitScenarios, LockIsHandedOverBetweenAThreadAndTheLoop) {
    int got = 0;
    ASSERT_TRUE(this->lock.try_lock());
    this->call(this->lock.locking(), [&](Guard guard) {
        got = guard.owns_lock();
        this->host->stop();
    });
    std::jthread owner([&] { this->lock.unlock(); });

    this->run();

    EXPECT_EQ(got, 1);
    owner.join();
    this->expect_free();
}

TYPED_TEST(WaitScenarios, LockCanBeKeptAfterTheCallback) {
    Guard kept(WaitResult::cancelled);
    this->call(this->lock.locking(), [&](Guard guard) {
        kept = std::move(guard);
        this->host->stop();
    });

    this->run();

    EXPECT_FALSE(this->lock.try_lock());
    kept.unlock();
    this->expect_free();
}

TYPED_TEST(WaitScenarios, ChannelGivesWhatAThreadSends) {
    Channel<int> channel(2);
    int sum = 0;
    std::function<void()> receive = [&] {
        this->call(channel.receiving(), [&](Received<int> item) {
            if (!item) return this->host->stop();
            sum += *item;
            receive();
        });
    };
    receive();
    std::jthread sender([&] {
        for (int i = 1; i <= 100; ++i) EXPECT_TRUE(channel.send(i));
        channel.close();
    });

    this->run();

    EXPECT_EQ(sum, 5050);
}

TYPED_TEST(WaitScenarios, ChannelTakesWhatAThreadReceives) {
    Channel<int> channel(1);
    int sum = 0;
    int next = 1;
    std::function<void()> send = [&] {
        this->call(channel.sending(next), [&](SendResult<int> sent) {
            EXPECT_TRUE(sent);
            if (++next > 100) {
                channel.close();
                this->host->stop();
            } else {
                send();
            }
        });
    };
    send();
    std::jthread receiver([&] {
        while (auto item = channel.receive()) sum += *item;
    });

    this->run();

    receiver.join();
    EXPECT_EQ(sum, 5050);
}

TYPED_TEST(WaitScenarios, SemaphoreGivesPermits) {
    Semaphore semaphore(0);
    this->call(semaphore.acquiring(2), this->finish_after(1));
    std::jthread releaser([&] {
        semaphore.release(1);
        semaphore.release(1);
    });

    this->run();

    EXPECT_EQ(this->results, std::vector{WaitResult::ok});
    EXPECT_FALSE(semaphore.try_acquire());
}

TYPED_TEST(WaitScenarios, EventWakesAllThatWait) {
    for (int i = 0; i < 10; ++i) this->call(this->event.waiting(), this->finish_after(10));
    std::jthread setter([&] { this->event.set(); });

    this->run();

    EXPECT_EQ(this->results.size(), 10u);
}

TYPED_TEST(WaitScenarios, DeadlineEndsAWait) {
    this->call(this->event.waiting(), 2ms, this->finish_after(1));

    this->run();

    EXPECT_EQ(this->results, std::vector{WaitResult::timed_out});
    EXPECT_EQ(waiting_at(this->event), 0u);
}

TYPED_TEST(WaitScenarios, DeadlinesComeInTheirOrder) {
    const auto now = std::chrono::steady_clock::now();  // of all: between two calls the thread may be kept waiting
    this->call(this->event.waiting(), now + 6ms, [&](WaitResult) {
        this->order += 'c';
        this->host->stop();
    });
    this->call(this->event.waiting(), now + 2ms, [&](WaitResult) { this->order += 'a'; });
    this->call(this->event.waiting(), now + 4ms, [&](WaitResult) { this->order += 'b'; });

    this->run();

    EXPECT_EQ(this->order, "abc");
}

TYPED_TEST(WaitScenarios, DeadlineThatHasComeIsToldLater) {
    this->call(this->event.waiting(), 0ms, this->finish_after(1));

    EXPECT_TRUE(this->results.empty());
    this->run();
    EXPECT_EQ(this->results, std::vector{WaitResult::timed_out});
}

TYPED_TEST(WaitScenarios, DeadlineBegunInAHostsEventEndsTheHostsSleep) {
    this->host->from_host([&] { this->call(this->event.waiting(), 2ms, this->finish_after(1)); });
    this->call(waiting(this->word, 0), 1h, [](WaitResult) {});

    this->run();

    EXPECT_EQ(this->results, std::vector{WaitResult::timed_out});
    notify(this->word);
    this->settle();
}

TYPED_TEST(WaitScenarios, ThreadsAndTheLoopAreNotifiedInTheOrderOfOneQueue) {
    std::jthread first([&] {
        wait(this->word, 0);
        this->order += 'a';
    });
    until_waiting(this->word, 1);
    this->call(waiting(this->word, 0), [&](WaitResult) {
        this->order += 'b';
        this->host->stop();
    });
    std::jthread third([&] {
        wait(this->word, 0);
        this->order += 'c';
    });
    until_waiting(this->word, 3);

    EXPECT_EQ(notify(this->word, 1), 1u);
    first.join();
    EXPECT_EQ(notify(this->word, 1), 1u);
    this->run();
    EXPECT_EQ(notify(this->word, 1), 1u);
    third.join();

    EXPECT_EQ(this->order, "abc");
}

TYPED_TEST(WaitScenarios, CoroutinesWaitForEverything) {
    if constexpr (!TypeParam::is_agent) {
        GTEST_SKIP() << "no agent";
    } else {
        Condition condition;
        Channel<int> channel(1);
        bool is_ready = false;
        int chosen = -1;
        const auto task = [&]() -> Promise<int> {
            {
                Guard guard = co_await this->lock.scoped_lock_async();
                while (!is_ready) co_await condition.wait_async(guard);
            }
            auto first = co_await select_async(channel.receiving(), timeout(1h));
            chosen = static_cast<int>(first.index());
            co_return 1;
        };
        auto end = task().then([&](int) { this->host->stop(); });
        std::jthread worker([&] {
            this->lock.lock();
            is_ready = true;
            this->lock.unlock();
            condition.notify_one();
            EXPECT_TRUE(channel.send(1));
        });

        this->run();

        EXPECT_EQ(chosen, 0);
    }
}

TYPED_TEST(WaitScenarios, CoroutinesKeepALockOverTheHostsEvents) {
    if constexpr (!TypeParam::is_agent) {
        GTEST_SKIP() << "no agent";
    } else {
        int inside = 0;
        int rounds = 0;
        const auto user = [&]() -> Promise<void> {
            for (int i = 0; i < 50; ++i) {
                Guard guard = co_await this->lock.scoped_lock_async();
                EXPECT_EQ(inside++, 0);
                co_await sleep_for(0ms);
                --inside;
                ++rounds;
            }
        };
        auto users = all(user(), user(), user());
        auto end = users.then([&](auto&&) { this->host->stop(); });

        this->run();

        EXPECT_EQ(rounds, 150);
    }
}

}  // namespace futon::test
