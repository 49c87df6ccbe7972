// SPDX-License-Identifier: MIT
#include "adapters/scenarios/scene.hpp"

namespace futon::test {

SCENARIO(ThreadScenarios, PostsOfManyThreadsAllRun) {
    constexpr int threads = 4;
    constexpr int posts = 500;
    int ran = 0;
    std::vector<std::jthread> posters;
    for (int i = 0; i < threads; ++i) {
        posters.emplace_back([&] {
            for (int k = 0; k < posts; ++k) {
                host->post([&] {
                    if (++ran == threads * posts) host->stop();
                });
            }
        });
    }
    const auto guard = keep_running();

    run();

    EXPECT_EQ(ran, threads * posts);
}

SCENARIO(ThreadScenarios, ACrowdContendsForOneLock) {
    constexpr int threads = 3;
    constexpr int rounds = 200;
    long counter = 0;
    int loop_rounds = 0;
    std::function<void()> take = [&] {
        call(lock.locking(), [&](Guard guard) {
            EXPECT_TRUE(guard.owns_lock());
            ++counter;
            if (++loop_rounds == rounds) return host->stop();
            guard.unlock();
            take();
        });
    };
    take();
    {
        std::vector<std::jthread> others;
        for (int i = 0; i < threads; ++i) {
            others.emplace_back([&] {
                for (int k = 0; k < rounds; ++k) {
                    lock.lock();
                    ++counter;
                    lock.unlock();
                }
            });
        }
        run();
    }

    EXPECT_EQ(counter, (threads + 1) * rounds);
    expect_free();
}

SCENARIO(ThreadScenarios, AHostOnEachOfTwoThreads) {
    Channel<int> there(1);
    Channel<int> back(1);
    constexpr int rounds = 200;
    std::jthread other([&] {
        const auto second = make_host();
        std::function<void()> echo = [&] {
            second->call(there.receiving(), Deadline::never(), {}, [&](Received<int> item) {
                if (!item) return second->stop();
                second->call(back.sending(*item), Deadline::never(), {}, [&](SendResult<int>) { echo(); });
            });
        };
        echo();
        second->run();
    });
    int received = 0;
    std::function<void()> ping = [&] {
        call(there.sending(received), [&](SendResult<int>) {
            call(back.receiving(), [&](Received<int> item) {
                EXPECT_EQ(item.value_or(-1), received);
                if (++received < rounds) return ping();
                there.close();
                host->stop();
            });
        });
    };
    ping();

    run();

    EXPECT_EQ(received, rounds);
}

SCENARIO(ThreadScenarios, NotifyWhileTheLoopEnds) {
    for (int round = 0; round < 300; ++round) {
        std::atomic<int> cell{0};
        call(waiting(cell, 0), [](WaitResult) {});
        std::jthread waker([&] {
            cell = 1;
            notify(cell);
        });
        if (round % 3 == 0) host->turn();
        host->end_loop();
        host->begin_loop();
    }
}

SCENARIO(ThreadScenarios, ALockIsHandedOverWhileTheLoopEnds) {
    for (int round = 0; round < 300; ++round) {
        std::atomic<bool> is_locked{false};
        std::jthread owner([&] {
            lock.lock();
            is_locked = true;
            lock.unlock();
        });
        until([&] { return is_locked.load(); });
        call(lock.locking(), [](Guard) {});
        if (round % 3 == 0) host->turn();
        host->end_loop();
        owner.join();
        expect_free();
        host->begin_loop();
    }
}

SCENARIO(ThreadScenarios, ManyWaitersAndDeadlines) {
    constexpr int count = 300;
    Semaphore semaphore(0);
    for (int i = 0; i < count; ++i) {
        call(semaphore.acquiring(1), std::chrono::microseconds(50 * i), finish_after(count));
    }
    std::jthread releaser([&] {
        for (int i = 0; i < count; ++i) semaphore.release(1);
    });

    run();
    releaser.join();

    std::uint32_t acquired = 0;
    for (const WaitResult result : results) acquired += result == WaitResult::ok;
    std::uint32_t left = 0;
    while (semaphore.try_acquire()) ++left;
    EXPECT_EQ(acquired + left, static_cast<std::uint32_t>(count));
}

SCENARIO(ThreadScenarios, PostsWhileTheLoopRunsItsLast) {
    for (int round = 0; round < 100; ++round) {
        int ran = 0;
        std::jthread poster([&] {
            host->post([&] { ++ran; });
            host->post([&] { host->stop(); });
        });
        const auto guard = keep_running();

        run();

        ASSERT_EQ(ran, 1);
    }
}

}  // namespace futon::test
