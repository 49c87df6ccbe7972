// SPDX-License-Identifier: MIT
#include "adapters/scenarios/scene.hpp"

namespace futon::test {

SCENARIO(WaitScenarios, ACallbackNeverRunsInsideTheInitiatingCall) {
    event.set();

    call(event.waiting(), finish_after(1));

    EXPECT_TRUE(results.empty());
    run();
    EXPECT_EQ(results.size(), 1u);
}

SCENARIO(WaitScenarios, NotifyOfAnotherThreadEndsTheHostsSleep) {
    call(waiting(word, 0), finish_after(1));
    std::jthread waker([&] {
        word = 1;
        notify(word);
    });

    run();

    EXPECT_EQ(results, std::vector{WaitResult::ok});
}

SCENARIO(WaitScenarios, NotifyOfItsOwnThreadIsDeliveredLater) {
    call(waiting(word, 0), finish_after(1));

    EXPECT_EQ(notify(word), 1u);

    EXPECT_TRUE(results.empty());
    run();
    EXPECT_EQ(results, std::vector{WaitResult::ok});
}

SCENARIO(WaitScenarios, AValueThatHasChangedIsTold) {
    word = 1;

    call(waiting(word, 0), finish_after(1));
    run();

    EXPECT_EQ(results, std::vector{WaitResult::not_equal});
}

SCENARIO(WaitScenarios, LockIsHandedOverBetweenAThreadAndTheLoop) {
    int got = 0;
    ASSERT_TRUE(lock.try_lock());
    call(lock.locking(), [&](Guard guard) {
        got = guard.owns_lock();
        host->stop();
    });
    std::jthread owner([&] { lock.unlock(); });

    run();

    EXPECT_EQ(got, 1);
    owner.join();
    expect_free();
}

SCENARIO(WaitScenarios, LockCanBeKeptAfterTheCallback) {
    Guard kept(WaitResult::cancelled);
    call(lock.locking(), [&](Guard guard) {
        kept = std::move(guard);
        host->stop();
    });

    run();

    EXPECT_FALSE(lock.try_lock());
    kept.unlock();
    expect_free();
}

SCENARIO(WaitScenarios, ChannelGivesWhatAThreadSends) {
    Channel<int> channel(2);
    int sum = 0;
    std::function<void()> receive = [&] {
        call(channel.receiving(), [&](Received<int> item) {
            if (!item) return host->stop();
            sum += *item;
            receive();
        });
    };
    receive();
    std::jthread sender([&] {
        for (int i = 1; i <= 100; ++i) EXPECT_TRUE(channel.send(i));
        channel.close();
    });

    run();

    EXPECT_EQ(sum, 5050);
}

SCENARIO(WaitScenarios, ChannelTakesWhatAThreadReceives) {
    Channel<int> channel(1);
    int sum = 0;
    int next = 1;
    std::function<void()> send = [&] {
        call(channel.sending(next), [&](SendResult<int> sent) {
            EXPECT_TRUE(sent);
            if (++next > 100) {
                channel.close();
                host->stop();
            } else {
                send();
            }
        });
    };
    send();
    std::jthread receiver([&] {
        while (auto item = channel.receive()) sum += *item;
    });

    run();

    receiver.join();
    EXPECT_EQ(sum, 5050);
}

SCENARIO(WaitScenarios, SemaphoreGivesPermits) {
    Semaphore semaphore(0);
    call(semaphore.acquiring(2), finish_after(1));
    std::jthread releaser([&] {
        semaphore.release(1);
        semaphore.release(1);
    });

    run();

    EXPECT_EQ(results, std::vector{WaitResult::ok});
    EXPECT_FALSE(semaphore.try_acquire());
}

SCENARIO(WaitScenarios, EventWakesAllThatWait) {
    for (int i = 0; i < 10; ++i) call(event.waiting(), finish_after(10));
    std::jthread setter([&] { event.set(); });

    run();

    EXPECT_EQ(results.size(), 10u);
}

SCENARIO(WaitScenarios, DeadlineEndsAWait) {
    call(event.waiting(), 2ms, finish_after(1));

    run();

    EXPECT_EQ(results, std::vector{WaitResult::timed_out});
    EXPECT_EQ(waiting_at(event), 0u);
}

SCENARIO(WaitScenarios, DeadlinesComeInTheirOrder) {
    const auto note = [&](char name) {
        return [&, name](WaitResult) {
            order += name;
            if (order.size() == 3) host->stop();
        };
    };
    bool is_in_time = false;
    for (auto unit = 2ms; !is_in_time; unit *= 2) {  // again, if the thread was kept waiting until a deadline had come
        order.clear();
        const auto now = std::chrono::steady_clock::now();
        call(event.waiting(), now + 3 * unit, note('c'));
        call(event.waiting(), now + unit, note('a'));
        call(event.waiting(), now + 2 * unit, note('b'));
        is_in_time = std::chrono::steady_clock::now() < now + unit;

        run();
    }

    EXPECT_EQ(order, "abc");
}

SCENARIO(WaitScenarios, DeadlineThatHasComeIsToldLater) {
    call(event.waiting(), 0ms, finish_after(1));

    EXPECT_TRUE(results.empty());
    run();
    EXPECT_EQ(results, std::vector{WaitResult::timed_out});
}

SCENARIO(WaitScenarios, DeadlineBegunInAHostsEventEndsTheHostsSleep) {
    host->from_host([&] { call(event.waiting(), 2ms, finish_after(1)); });
    call(waiting(word, 0), 1h, [](WaitResult) {});

    run();

    EXPECT_EQ(results, std::vector{WaitResult::timed_out});
    notify(word);
    settle();
}

SCENARIO(WaitScenarios, ThreadsAndTheLoopAreNotifiedInTheOrderOfOneQueue) {
    std::jthread first([&] {
        wait(word, 0);
        order += 'a';
    });
    until_waiting(word, 1);
    call(waiting(word, 0), [&](WaitResult) {
        order += 'b';
        host->stop();
    });
    std::jthread third([&] {
        wait(word, 0);
        order += 'c';
    });
    until_waiting(word, 3);

    EXPECT_EQ(notify(word, 1), 1u);
    first.join();
    EXPECT_EQ(notify(word, 1), 1u);
    run();
    EXPECT_EQ(notify(word, 1), 1u);
    third.join();

    EXPECT_EQ(order, "abc");
}

SCENARIO_IF(WaitScenarios, CoroutinesWaitForEverything, host.is_agent) {
    Condition condition;
    Channel<int> channel(1);
    bool is_ready = false;
    int chosen = -1;
    const auto task = [&]() -> Promise<int> {
        {
            Guard guard = co_await lock.scoped_lock_async();
            while (!is_ready) co_await condition.wait_async(guard);
        }
        auto first = co_await select_async(channel.receiving(), timeout(1h));
        chosen = static_cast<int>(first.index());
        co_return 1;
    };
    auto end = task().then([&](int) { host->stop(); });
    std::jthread worker([&] {
        lock.lock();
        is_ready = true;
        lock.unlock();
        condition.notify_one();
        EXPECT_TRUE(channel.send(1));
    });

    run();

    EXPECT_EQ(chosen, 0);
}

SCENARIO_IF(WaitScenarios, CoroutinesKeepALockOverTheHostsEvents, host.is_agent) {
    int inside = 0;
    int rounds = 0;
    const auto user = [&]() -> Promise<void> {
        for (int i = 0; i < 50; ++i) {
            Guard guard = co_await lock.scoped_lock_async();
            EXPECT_EQ(inside++, 0);
            co_await sleep_for(0ms);
            --inside;
            ++rounds;
        }
    };
    auto users = all(user(), user(), user());
    auto end = users.then([&](auto&&) { host->stop(); });

    run();

    EXPECT_EQ(rounds, 150);
}

}  // namespace futon::test
