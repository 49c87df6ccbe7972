// SPDX-License-Identifier: MIT
//
// Three ways out of a wait queue before a notify: a stop token for a thread that blocks, a stop token for a promise, and
// dropping a promise that nothing listens to. A waiter that was dequeued is not counted by a later notify.
//
// Prints:
//     thread:  cancelled
//     promise: cancelled
//     queued after dropping: 0, woken: 0

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <stop_token>
#include <thread>

#include <futon/futon.hpp>

using futon::Deadline;
using futon::WaitResult;

int main() {
    futon::EventLoop loop;
    std::atomic<int> word{0};

    WaitResult of_thread = WaitResult::ok;
    std::jthread worker([&](std::stop_token stop) { of_thread = futon::wait(word, 0, Deadline::never(), stop); });
    worker.request_stop();  // before or after the worker is queued: the answer is the same
    worker.join();
    std::cout << "thread:  " << to_string(of_thread) << '\n';

    std::stop_source source;
    auto answer = futon::wait_async(word, 0, Deadline::never(), source.get_token());
    source.request_stop();
    const WaitResult of_promise = loop.run_until(answer.promise());
    std::cout << "promise: " << to_string(of_promise) << '\n';

    { auto dropped = futon::wait_async(word, 0); }  // pending, and nothing listens: dequeued here
    const std::size_t queued = futon::core::process_table().count(&word);
    const std::size_t woken = futon::notify(word);
    std::printf("queued after dropping: %zu, woken: %zu\n", queued, woken);

    const bool is_right = of_thread == WaitResult::cancelled && of_promise == WaitResult::cancelled;
    return is_right && queued == 0 && woken == 0 ? 0 : 1;
}
