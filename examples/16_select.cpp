// SPDX-License-Identifier: MIT
//
// select: wait for a word, a lock and a deadline at once, and do the one that is possible first. The others leave their
// queues and lose nothing: a notify that meets a select that is over wakes the next waiter instead, and counts that one.
//
// Prints:
//     thread:    the word was notified
//     thread:    the deadline has come
//     coroutine: has the lock
//     notify(word, 1) woke 1: the waiter behind the select

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <thread>
#include <variant>

#include <futon/futon.hpp>

using namespace std::chrono_literals;
using futon::WaitResult;

namespace {

/// What a thread or a coroutine did: 0 for the word, 1 for the lock, 2 for the deadline.
std::size_t wait_for_any(std::atomic<int>& word, futon::AsyncLock& lock, futon::Deadline deadline) {
    auto chosen = futon::select(futon::waiting(word, 0), lock.locking(), futon::timeout(deadline));
    if (std::holds_alternative<futon::AsyncLock::Guard>(chosen)) {
        std::puts("thread:    has the lock");  // until the guard in `chosen` ends
    } else {
        std::printf("thread:    %s\n", chosen.index() == 0 ? "the word was notified" : "the deadline has come");
    }
    return chosen.index();
}

futon::Promise<std::size_t> wait_for_any_async(std::atomic<int>& word, futon::AsyncLock& lock) {
    auto chosen = co_await futon::select_async(futon::waiting(word, 0), lock.locking(), futon::timeout(10s));
    if (auto* guard = std::get_if<1>(&chosen)) {
        std::puts("coroutine: has the lock");
        guard->unlock();
    }
    co_return chosen.index();
}

bool a_thread_selects() {
    std::atomic<int> word{0};
    futon::AsyncLock lock;
    lock.lock();
    std::jthread notifier([&] {
        while (futon::notify(word, 1) == 0) std::this_thread::yield();
    });
    const bool was_notified = wait_for_any(word, lock, futon::Deadline::never()) == 0;
    notifier.join();
    const bool has_timed_out = wait_for_any(word, lock, futon::Deadline(5ms)) == 2;
    lock.unlock();  // the selects are over: the lock is free, and not one of theirs
    return was_notified && has_timed_out && lock.try_lock();
}

bool a_wake_up_is_not_swallowed() {
    futon::EventLoop loop;
    std::atomic<int> word{0};
    futon::AsyncLock lock;
    lock.try_lock();
    auto selecting = wait_for_any_async(word, lock);  // first in both queues
    std::optional<WaitResult> second;
    futon::wait_async(word, 0).promise().then([&](WaitResult result) { second = result; });

    lock.unlock();                                     // chooses the lock: the select is over, though its coroutine has
    const std::size_t woken = futon::notify(word, 1);  // not run yet, and is first in the queue of the word
    const std::size_t chosen = loop.run_until(selecting);
    loop.run();
    const bool is_right = chosen == 1 && woken == 1 && second == WaitResult::ok;
    std::printf("notify(word, 1) woke %zu: %s\n", woken, is_right ? "the waiter behind the select" : "NO WAITER");
    return is_right;
}

}  // namespace

int main() {
    const bool is_right = a_thread_selects() && a_wake_up_is_not_swallowed();
    return is_right ? 0 : 1;
}
