// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <stop_token>
#include <thread>
#include <utility>

#include <futon/futon.hpp>

namespace futon::test {

/// Yields until `predicate()` holds. The test runner's time limit ends a test whose predicate never does.
template <std::predicate Predicate>
void until(Predicate predicate) {
    while (!predicate()) std::this_thread::yield();
}

/// The key of the queue of a word, an atomic or a lock.
template <class T>
const void* queue_of(const T& cell) noexcept {
    return &cell;
}
template <class T>
const void* queue_of(const Word<T>& word) noexcept {
    return word.address();
}

/// How many waiters are queued at a word, an atomic or a lock.
template <class T>
std::size_t waiting_at(const T& cell) noexcept {
    return core::process_table().count(queue_of(cell));
}

/// Returns once exactly `count` waiters are queued.
template <class T>
void until_waiting(const T& cell, std::size_t count) {
    const void* queue = queue_of(cell);
    until([&] { return core::process_table().count(queue) == count; });
}

/// Returns once the clock is past `time_point`.
inline void until_after(std::chrono::steady_clock::time_point time_point) {
    until([&] { return std::chrono::steady_clock::now() > time_point; });
}

/// Returns once each waiter that is queued at a lock now has waited for longer than the handoff threshold.
inline void until_handoff_is_due() {
    until_after(std::chrono::steady_clock::now() + AsyncLock::handoff_threshold);
}

/// A queued promise and its deadline, which is a millisecond away.
struct ShortWait {
    std::chrono::steady_clock::time_point deadline;
    Promise<WaitResult> promise;
};

/// Waits asynchronously for a millisecond. Begins anew where this thread was held up until the deadline had passed.
template <class T>
ShortWait short_wait(std::atomic<T>& cell, std::stop_token stop = {}) {
    while (true) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
        WaitAsyncResult answer = wait_async(cell, cell.load(), {deadline, stop});
        if (answer.async()) return {deadline, std::move(answer).promise()};
    }
}

}  // namespace futon::test
