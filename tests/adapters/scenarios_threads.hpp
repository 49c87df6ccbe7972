// SPDX-License-Identifier: MIT
#pragma once

#include "adapters/scene.hpp"

namespace futon::test {

template <class Host>
class ThreadScenarios : public Scene<Host> {};
TYPED_TEST_SUITE(ThreadScenarios, TestedHosts);

TYPED_TEST(ThreadScenarios, PostsOfManyThreadsAllRun) {
    constexpr int threads = 4;
    constexpr int posts = 500;
    int ran = 0;
    std::vector<std::jthread> posters;
    for (int i = 0; i < threads; ++i) {
        posters.emplace_back([&] {
            for (int k = 0; k < posts; ++k) {
                this->host->post([&] {
                    if (++ran == threads * posts) this->host->stop();
                });
            }
        });
    }
    auto keep_alive = [&] {
        if constexpr (TypeParam::is_agent && TypeParam::ends_by_itself) return this->host->loop().keep_running();
        if constexpr (!TypeParam::is_agent || !TypeParam::ends_by_itself) return 0;
    }();

    this->run();

    EXPECT_EQ(ran, threads * posts);
    static_cast<void>(keep_alive);
}

TYPED_TEST(ThreadScenarios, ACrowdContendsForOneLock) {
    constexpr int threads = 3;
    constexpr int rounds = 200;
    long counter = 0;
    int loop_rounds = 0;
    std::function<void()> take = [&] {
        this->call(this->lock.locking(), [&](Guard guard) {
            EXPECT_TRUE(guard.owns_lock());
            ++counter;
            if (++loop_rounds == rounds) return this->host->stop();
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
                    this->lock.lock();
                    ++counter;
                    this->lock.unlock();
                }
            });
        }
        this->run();
    }

    EXPECT_EQ(counter, (threads + 1) * rounds);
    this->expect_free();
}

TYPED_TEST(ThreadScenarios, AHostOnEachOfTwoThreads) {
    Channel<int> there(1);
    Channel<int> back(1);
    constexpr int rounds = 200;
    std::jthread other([&] {
        TypeParam second;
        std::function<void()> echo = [&] {
            second.call(there.receiving(), Deadline::never(), {}, [&](Received<int> item) {
                if (!item) return second.stop();
                second.call(back.sending(*item), Deadline::never(), {}, [&](SendResult<int>) { echo(); });
            });
        };
        echo();
        second.run();
    });
    int received = 0;
    std::function<void()> ping = [&] {
        this->call(there.sending(received), [&](SendResult<int>) {
            this->call(back.receiving(), [&](Received<int> item) {
                EXPECT_EQ(item.value_or(-1), received);
                if (++received < rounds) return ping();
                there.close();
                this->host->stop();
            });
        });
    };
    ping();

    this->run();

    EXPECT_EQ(received, rounds);
}

TYPED_TEST(ThreadScenarios, NotifyWhileTheLoopEnds) {
    for (int round = 0; round < 300; ++round) {
        std::atomic<int> cell{0};
        this->call(waiting(cell, 0), [](WaitResult) {});
        std::jthread waker([&] {
            cell = 1;
            notify(cell);
        });
        if (round % 3 == 0) this->host->turn();
        this->host->end_loop();
        this->host->begin_loop();
    }
}

TYPED_TEST(ThreadScenarios, ALockIsHandedOverWhileTheLoopEnds) {
    for (int round = 0; round < 300; ++round) {
        std::atomic<bool> is_locked{false};
        std::jthread owner([&] {
            this->lock.lock();
            is_locked = true;
            this->lock.unlock();
        });
        until([&] { return is_locked.load(); });
        this->call(this->lock.locking(), [](Guard) {});
        if (round % 3 == 0) this->host->turn();
        this->host->end_loop();
        owner.join();
        this->expect_free();
        this->host->begin_loop();
    }
}

TYPED_TEST(ThreadScenarios, ManyWaitersAndDeadlines) {
    constexpr int count = 300;
    Semaphore semaphore(0);
    for (int i = 0; i < count; ++i) {
        this->call(semaphore.acquiring(1), std::chrono::microseconds(50 * i), this->finish_after(count));
    }
    std::jthread releaser([&] {
        for (int i = 0; i < count; ++i) semaphore.release(1);
    });

    this->run();
    releaser.join();

    std::uint32_t acquired = 0;
    for (const WaitResult result : this->results) acquired += result == WaitResult::ok;
    std::uint32_t left = 0;
    while (semaphore.try_acquire()) ++left;
    EXPECT_EQ(acquired + left, static_cast<std::uint32_t>(count));
}

TYPED_TEST(ThreadScenarios, PostsWhileTheLoopRunsItsLast) {
    for (int round = 0; round < 100; ++round) {
        int ran = 0;
        std::jthread poster([&] {
            this->host->post([&] { ++ran; });
            this->host->post([&] { this->host->stop(); });
        });
        if constexpr (TypeParam::is_agent && TypeParam::ends_by_itself) {
            const auto guard = this->host->loop().keep_running();
            this->run();
        } else {
            this->run();
        }
        ASSERT_EQ(ran, 1);
    }
}

}  // namespace futon::test
