// SPDX-License-Identifier: MIT
// Correct programs, built with ThreadSanitizer and linked with a library that was not: none of them may be reported. With the
// name of one that is wrong as argument, that one: it must be.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

#include "primitives.hpp"

namespace {

using futon::AsyncLock;
using futon::EventLoop;
using futon::Promise;
using futon::Word;

constexpr int rounds = 2000;

/// Threads and a coroutine count under one lock.
void share_a_lock(futon::Fairness fairness) {
    AsyncLock lock(fairness);
    long count = 0;
    EventLoop loop;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 3; ++i) {
            threads.emplace_back([&] {
                for (int round = 0; round < rounds; ++round) {
                    const std::scoped_lock hold(lock);
                    ++count;
                }
            });
        }
        auto coroutine = [&]() -> Promise<void> {
            for (int round = 0; round < rounds / 10; ++round) {
                const AsyncLock::Guard guard = co_await lock.scoped_lock_async();
                ++count;
            }
        };
        auto done = coroutine();
        for (int round = 0; round < rounds / 10; ++round) lock.execute_locked([&] { ++count; });
        loop.run_until(std::move(done));
        loop.run();
    }
    expect(count == 3 * rounds + 2 * (rounds / 10), "each count is under the lock");
}

/// What is written before a notify is read after the wait, by a thread and by a loop.
void hand_over_by_words() {
    std::int32_t turn = 0;
    const Word word(turn);
    long message = 0;
    long sum = 0;
    std::jthread reader([&] {
        for (int round = 0; round < rounds; ++round) {
            while (word.load() != 1) futon::wait(word, 0);
            sum += message;
            word.store(0);
            futon::notify(word);
        }
    });
    EventLoop loop;
    auto write = [&]() -> Promise<void> {
        for (int round = 0; round < rounds; ++round) {
            while (word.load() != 0) {
                const auto result = co_await futon::wait_async(word, 1);
                expect(result != futon::WaitResult::timed_out, "there is no deadline");
            }
            ++message;
            word.store(1);
            futon::notify(word);
        }
    };
    loop.run_until(write());
    reader.join();
    expect(sum == static_cast<long>(rounds) * (rounds + 1) / 2, "each message arrives");
}

/// The wake-up itself hands over: nothing is stored in the word.
void hand_over_by_the_wake_alone() {
    std::int32_t cell = 0;
    const Word word(cell);
    for (int round = 0; round < 50; ++round) {
        long message = 0;
        std::jthread waiter([&] {
            expect(futon::wait(word, 0) == futon::WaitResult::ok, "it is woken");
            expect(message == 1, "and sees the message");
        });
        while (futon::core::process_table().count(&cell) == 0) std::this_thread::yield();
        message = 1;
        futon::notify(word);
    }
}

/// What comes before a post, a settling or a stop is seen by what it causes.
void hand_over_by_posts() {
    EventLoop loop;
    for (int round = 0; round < 200; ++round) {
        long posted = 0;
        long settled = 0;
        long stopped = 0;
        auto [promise, source] = futon::make_promise<long>();
        std::jthread poster([&, source = std::move(source)]() mutable {
            posted = 1;
            loop.post([&] { expect(posted == 1, "the job sees it"); });
            settled = 1;
            source.fulfil(2);
        });
        expect(loop.run_until(std::move(promise)) == 2, "the value arrives");
        expect(settled == 1, "with what came before it");
        poster.join();
        std::jthread stopper([&] {
            stopped = 1;
            loop.stop();
        });
        const auto guard = loop.keep_running();
        loop.run();
        expect(stopped == 1, "the stop has come");
    }
}

/// A request of a stop hands over, before the wait and in the midst of it; so does a timed acquisition.
void hand_over_by_stops() {
    AsyncLock held;
    held.lock();
    for (int round = 0; round < 200; ++round) {
        std::int32_t cell = 0;
        const Word word(cell);
        std::stop_source stop;
        long message = 0;
        std::jthread stopper([&] {
            message = 1;
            stop.request_stop();
        });
        if (round % 4 == 0) {
            expect(futon::wait(word, 0, stop.get_token()) == futon::WaitResult::cancelled, "a thread is stopped");
        } else if (round % 4 == 1) {
            expect(held.lock(stop.get_token()) == futon::WaitResult::cancelled, "a thread at a lock is stopped");
        } else {
            EventLoop loop;
            const auto lock_until_stopped = [&]() -> Promise<void> {
                const auto guard = co_await held.scoped_lock_async(stop.get_token());
                expect(!guard.owns_lock() && message == 1, "a coroutine is stopped");
            };
            if (round % 4 == 2) {
                loop.run_until(lock_until_stopped());
            } else {
                expect(loop.run_until(futon::sleep_for(std::chrono::hours(1), stop.get_token())) ==
                           futon::WaitResult::cancelled,
                       "a sleep is stopped");
            }
        }
        expect(message == 1, "and sees what came before");
    }
    held.unlock();
}

void share_a_lock_for_a_time() {
    AsyncLock lock;
    long count = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&] {
            for (int round = 0; round < rounds; ++round) {
                if (!lock.try_lock_for(std::chrono::hours(1))) continue;
                AsyncLock::Guard guard(lock, std::adopt_lock);
                ++count;
                guard.unlock();
            }
        });
    }
    threads.clear();
    expect(count == 3 * rounds, "each has had the lock");
}

void hand_over_by_select() {
    AsyncLock lock;
    std::int32_t cell = 0;
    const Word word(cell);
    long message = 0;
    for (int round = 0; round < 200; ++round) {
        lock.lock();
        std::jthread chooser([&] {
            auto chosen = futon::select(futon::waiting(word, 0), lock.locking());
            expect(chosen.index() == 1, "the lock is chosen");
            ++message;
        });
        while (futon::core::process_table().count(&lock) == 0) std::this_thread::yield();
        ++message;
        lock.unlock();
        chooser.join();
    }
    expect(message == 400, "each has counted");
}

/// An order of locking is one of threads that block. What is unlocked elsewhere, tried, or locked by tasks is in none.
void lock_in_no_order() {
    AsyncLock first;
    AsyncLock second;
    const auto in_a_thread = [](auto f) { std::jthread thread(f); };
    in_a_thread([&] { const std::scoped_lock hold(first, second); });
    in_a_thread([&] { const std::scoped_lock hold(second, first); });  // with the deadlock avoidance of std::lock
    in_a_thread([&] {
        const std::scoped_lock one(first);
        const std::scoped_lock two(second);
    });
    in_a_thread([&] {
        const std::scoped_lock hold(second);
        if (first.try_lock()) first.unlock();
    });
    in_a_thread([&] {
        second.lock();
        in_a_thread([&] { second.unlock(); });
        const std::scoped_lock hold(first);
    });
    in_a_thread([&] {
        second.lock();
        AsyncLock::Guard guard(second, std::adopt_lock);
        guard.unlock();
        const std::scoped_lock hold(first);
    });
    EventLoop loop;
    auto lock_both = [](AsyncLock& one, AsyncLock& two) -> Promise<void> {
        const AsyncLock::Guard hold = co_await one.scoped_lock_async();
        co_await futon::sleep_for(std::chrono::microseconds(1));
        const AsyncLock::Guard other = co_await two.scoped_lock_async();
    };
    loop.run_until(lock_both(first, second));
    loop.run_until(lock_both(second, first));
    for (int round = 0; round < 2; ++round) {  // other locks, at the same addresses
        AsyncLock locks[2];
        in_a_thread([&] {
            const std::scoped_lock one(locks[round]);
            const std::scoped_lock two(locks[1 - round]);
        });
    }
}

/// Wrong: two threads that do this at once wait for each other.
void lock_in_two_orders() {
    AsyncLock first;
    AsyncLock second;
    const auto lock_both = [](AsyncLock& one, AsyncLock& two) {
        const std::scoped_lock hold(one);
        const std::scoped_lock other(two);
    };
    std::jthread(lock_both, std::ref(first), std::ref(second)).join();
    std::jthread(lock_both, std::ref(second), std::ref(first)).join();
}

/// Wrong: a notify that wakes no waiter orders nothing.
void race() {
    long message = 0;
    std::jthread writer([&] { ++message; });
    ++message;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view wrong = argc > 1 ? argv[1] : "";
    if (!wrong.empty()) {
        if (wrong == "race") race();
        if (wrong == "order") lock_in_two_orders();
        return 0;
    }
    share_a_lock(futon::Fairness::bounded);
    share_a_lock(futon::Fairness::strict);
    hand_over_by_words();
    hand_over_by_the_wake_alone();
    hand_over_by_posts();
    hand_over_by_stops();
    hand_over_by_primitives();
    hand_over_by_stops_at_primitives();
    hand_over_by_channels();
    hand_over_by_conditions();
    hand_over_by_modes();
    hand_over_by_upgrades();
    share_a_lock_for_a_time();
    hand_over_by_select();
    lock_in_no_order();
    std::puts("nothing is wrong");
    return 0;
}
