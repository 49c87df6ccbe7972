// SPDX-License-Identifier: MIT
#pragma once

// What each primitive orders, for client.cpp.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

inline void expect(bool is_so, const char* what) {
    if (is_so) return;
    std::fprintf(stderr, "not so: %s\n", what);
    std::exit(2);
}

/// Each primitive hands over what came before, whether its wait begins before or after: to a thread and to a coroutine.
template <class Primitive, class Give, class Wait, class Await>
void hand_over_by(Primitive make, Give give, Wait wait, Await await) {
    for (int round = 0; round < 100; ++round) {
        auto primitive = make();
        long message = 0;
        std::jthread giver([&] {
            message = 1;
            give(*primitive);
        });
        if (round % 2 == 0) {
            wait(*primitive);
            expect(message == 1, "a thread sees it");
        } else {
            futon::EventLoop loop;
            auto waiting = [&]() -> futon::Promise<void> {
                co_await await(*primitive);
                expect(message == 1, "a coroutine sees it");
            };
            loop.run_until(waiting());
        }
        giver.join();
    }
}

inline void hand_over_by_primitives() {
    const auto waits = [](auto& primitive) { primitive.wait(); };
    const auto awaits = [](auto& primitive) { return primitive.wait_async(); };
    const auto sets = [](auto& primitive) { primitive.set(); };
    hand_over_by([] { return std::make_unique<futon::Event>(); }, sets, waits, awaits);
    hand_over_by([] { return std::make_unique<futon::AutoResetEvent>(); }, sets, waits, awaits);
    hand_over_by([] { return std::make_unique<futon::Latch>(1); }, [](auto& latch) { latch.count_down(); }, waits,
                 awaits);
    hand_over_by([] { return std::make_unique<futon::Barrier<>>(2); }, [](auto& barrier) { barrier.arrive_and_drop(); },
                 [](auto& barrier) { barrier.arrive_and_wait(); },
                 [](auto& barrier) { return barrier.arrive_and_wait_async(); });
    hand_over_by([] { return std::make_unique<futon::Semaphore>(0); }, [](auto& semaphore) { semaphore.release(); },
                 [](auto& semaphore) { semaphore.acquire(); },
                 [](auto& semaphore) { return semaphore.acquire_async(1); });
    hand_over_by(
        [] {
            auto lock = std::make_unique<futon::SharedLock>();
            lock->lock_shared();
            return lock;
        },
        [](auto& lock) { lock.unlock_shared(); }, [](auto& lock) { lock.lock(); },
        [](auto& lock) { return lock.scoped_lock_async(); });
    struct Begun {
        futon::Once once;
        futon::Once::Attempt attempt{once.begin()};
    };
    hand_over_by([] { return std::make_unique<Begun>(); }, [](auto& begun) { begun.attempt.complete(); },
                 [](auto& begun) { begun.once.call([] {}); }, [](auto& begun) { return begun.once.begin_async(); });
}

/// What is sent is received with what came before, from thread to thread and from thread to coroutine.
inline void hand_over_by_channels() {
    constexpr long count = 20'000;
    for (const std::size_t capacity : {0, 1, 64}) {
        futon::Channel<std::unique_ptr<long>> to_thread(capacity);
        futon::Channel<std::unique_ptr<long>> to_loop(capacity);
        std::jthread sender([&] {
            for (long i = 0; i < count; ++i) to_thread.send(std::make_unique<long>(i));
            to_thread.close();
        });
        std::jthread passer([&] {
            while (auto item = to_thread.receive()) {
                ++**item;
                to_loop.send(*std::move(item));
            }
            to_loop.close();
        });
        long sum = 0;
        futon::EventLoop loop;
        auto receiving = [&]() -> futon::Promise<void> {
            while (auto item = co_await to_loop.receive_async()) sum += **item;
        };
        loop.run_until(receiving());
        expect(sum == count * (count + 1) / 2, "each item arrives");
    }
}

/// The lock that a wait at a condition releases and owns again hands over, to a thread and to a coroutine, also where the wait has
/// timed out.
inline void hand_over_by_conditions() {
    futon::Condition condition;
    futon::AsyncLock lock;
    long count = 0;
    const auto is_all = [&] { return count >= 600; };
    std::vector<std::jthread> threads;
    for (int i = 0; i < 2; ++i) {
        threads.emplace_back([&] {
            for (int round = 0; round < 200; ++round) {
                std::unique_lock hold(lock);
                ++count;
                condition.notify_all();
                static_cast<void>(condition.wait(hold, std::chrono::microseconds(round % 3 * 20)));
                ++count;
            }
        });
    }
    futon::EventLoop loop;
    auto coroutine = [&]() -> futon::Promise<void> {
        auto guard = co_await lock.scoped_lock_async();
        for (int round = 0; round < 200; ++round) {
            ++count;
            co_await condition.wait_async(guard, std::chrono::microseconds(round % 3 * 20));
            ++count;
        }
        co_await condition.wait_async(guard, is_all, std::chrono::seconds(20));
        expect(is_all(), "the predicate is asked with the lock held");
    };
    loop.run_until(coroutine());
}

/// A holding of a shared lock hands over when it becomes a weaker one, and when it is handed off: to readers, and to writers.
inline void hand_over_by_modes() {
    futon::SharedLock lock;
    long count = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&] {
            for (int round = 0; round < 200; ++round) {
                auto writer = lock.scoped_lock();
                ++count;
                if (round % 3 == 0) {
                    const auto reader = writer.downgrade();
                    expect(count > 0, "it reads what it wrote");
                } else if (round % 3 == 1) {
                    auto upgradeable = writer.downgrade_to_upgradeable();
                    if (auto again = upgradeable.upgrade(std::chrono::milliseconds(1))) ++count;
                } else {
                    writer.unlock_fair();
                }
                lock.lock_shared();
                expect(count > 0, "a reader sees it");
                lock.unlock_shared_fair();
            }
        });
    }
    futon::EventLoop loop;
    const auto run = [&]() -> futon::Promise<void> {
        for (int round = 0; round < 100; ++round) {
            co_await lock.execute_locked([&] { ++count; });
            const auto reader = co_await lock.scoped_lock_shared_async();
            expect(count > 0, "a coroutine sees it");
        }
    };
    loop.run_until(run());
}

/// An upgrade waits for readers, and hands over to them: also to threads that read for the first time.
inline void hand_over_by_upgrades() {
    futon::SharedLock lock;
    long count = 0;
    std::atomic<long> reads{0};
    std::atomic<long> begun{0};
    const auto read = [&] {
        const auto reader = lock.scoped_lock_shared();
        expect(count >= 0, "a reader sees it whole");
        reads.fetch_add(1, std::memory_order_relaxed);  // orders nothing
    };
    std::vector<std::jthread> readers;
    for (int i = 0; i < 2; ++i)
        readers.emplace_back([&](const std::stop_token& stop) {
            while (!stop.stop_requested()) read();
        });
    for (int round = 1; round <= 100; ++round) {
        std::jthread new_reader([&] {
            while (begun.load(std::memory_order_relaxed) < round) std::this_thread::yield();
            read();
        });
        auto upgradeable = lock.scoped_lock_upgradeable();
        auto writer = upgradeable.upgrade();
        ++count;
        writer.unlock();
        const long after =
            reads.load(std::memory_order_relaxed) + 500;  // time enough for readers to leave the lock's own word
        while (reads.load(std::memory_order_relaxed) < after) std::this_thread::yield();
        begun.store(round, std::memory_order_relaxed);
    }
}

/// A stop hands over at each primitive, before the wait and in the midst of it.
inline void hand_over_by_stops_at_primitives() {
    futon::Event event;
    futon::Latch latch(1);
    futon::Barrier<> barrier(2);
    futon::Once once;
    auto attempt = once.begin();
    const auto arrival = barrier.arrive();
    for (int round = 0; round < 200; ++round) {
        std::stop_source stop;
        long message = 0;
        std::jthread stopper([&] {
            message = 1;
            stop.request_stop();
        });
        const std::stop_token token = stop.get_token();
        const auto wait = [&] {
            switch (round % 5) {
                case 0:
                    return event.wait(token);
                case 1:
                    return latch.wait(token);
                case 2:
                    return barrier.wait(arrival, token);
                case 3:
                    return once.begin(token).result();
                default:
                    return std::get<1>(futon::select(event.waiting(), futon::stop_requested(token)));
            }
        };
        const futon::WaitResult result = wait();
        expect(result == futon::WaitResult::cancelled && message == 1, "a wait is stopped");
    }
    attempt.complete();
}
