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

/// Lets others run until `predicate()` holds. A test that waits for what never comes is ended by the test runner.
template <std::predicate Predicate>
void until(Predicate predicate) {
    while (!predicate()) std::this_thread::yield();
}

/// The key of the line that belongs to a word, an atomic or a lock.
template <class T>
const void* queue_of(const T& cell) noexcept {
    return &cell;
}
template <class T>
const void* queue_of(const Word<T>& word) noexcept {
    return word.address();
}

/// How many stand in line at a word, an atomic or a lock.
template <class T>
std::size_t waiting_at(const T& cell) noexcept {
    return core::process_table().count(queue_of(cell));
}

/// Returns once exactly `count` stand in line.
template <class T>
void until_waiting(const T& cell, std::size_t count) {
    const void* line = queue_of(cell);
    until([&] { return core::process_table().count(line) == count; });
}

/// Returns once `moment` has passed, by the clock and nothing else.
inline void until_after(std::chrono::steady_clock::time_point moment) {
    until([&] { return std::chrono::steady_clock::now() > moment; });
}

/// A promise in line whose deadline comes soon.
struct ShortWait {
    std::chrono::steady_clock::time_point moment;
    Promise<WaitResult> promise;
};

/// Waits asynchronously for a millisecond. Begins anew where this thread was held up until the deadline had passed.
template <class T>
ShortWait short_wait(std::atomic<T>& cell, std::stop_token stop = {}) {
    while (true) {
        const auto moment = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
        WaitAsyncResult answer = wait_async(cell, cell.load(), moment, stop);
        if (answer.async()) return {moment, std::move(answer).promise()};
    }
}

}  // namespace futon::test
