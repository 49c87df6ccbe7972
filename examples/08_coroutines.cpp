// SPDX-License-Identifier: MIT
//
// Promise is also what a coroutine returns: it starts at once, as JavaScript's async functions do, and continues on the
// loop. Words, locks, deadlines and exceptions are awaited alike.
//
// Prints:
//     reader:  timed-out, the word holds 0
//     reader:  ok, the word holds 5
//     limited: timed-out
//     limitless: has the lock
//     thrower: nothing to read

#include <atomic>
#include <chrono>
#include <iostream>
#include <stdexcept>
#include <string>

#include <futon/futon.hpp>

using namespace std::chrono_literals;
using futon::Promise;
using futon::WaitResult;

namespace {

Promise<int> read(std::atomic<int>& word, futon::Limits limits = {}) {
    const WaitResult result = co_await futon::wait_async(word, 0, limits);
    std::cout << "reader:  " << to_string(result) << ", the word holds " << word << '\n';
    co_return word;
}

Promise<bool> lock_within_5_ms(futon::AsyncLock& lock) {
    const auto guard = co_await lock.scoped_lock_async(5ms);
    std::cout << "limited: " << to_string(guard.result()) << '\n';
    co_return guard.owns_lock();
}

Promise<bool> lock_in_any_case(futon::AsyncLock& lock) {
    const auto guard = co_await lock.scoped_lock_async();
    std::cout << "limitless: has the lock\n";
    co_return guard.owns_lock();
}  // the guard unlocks

Promise<void> fail() {
    throw std::runtime_error("nothing to read");
    co_return;
}

Promise<std::string> catch_failure() {
    try {
        co_await fail();
    } catch (const std::runtime_error& error) {
        co_return error.what();
    }
    co_return "";
}

}  // namespace

int main() {
    futon::EventLoop loop;
    std::atomic<int> word{0};
    const int nothing = loop.run_until(read(word, 5ms));
    auto reading = read(word);  // has begun, and is queued
    word = 5;
    futon::notify(word);
    const int value = loop.run_until(reading);

    futon::AsyncLock lock;
    lock.try_lock();
    auto limitless = lock_in_any_case(lock);
    const bool was_in_time = loop.run_until(lock_within_5_ms(lock));
    lock.unlock();
    const bool has_locked = loop.run_until(limitless);

    const std::string failure = loop.run_until(catch_failure());
    std::cout << "thrower: " << failure << '\n';
    return nothing == 0 && value == 5 && !was_in_time && has_locked && failure == "nothing to read" ? 0 : 1;
}
