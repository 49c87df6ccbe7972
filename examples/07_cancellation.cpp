// SPDX-License-Identifier: MIT
//
// Three ways out of a wait queue before a notify: a stop token for a thread that blocks, a stop token for a promise, and
// dropping a promise that nothing listens to. A waiter that was dequeued is not counted by a later notify.
//
// Prints:
//     limits:  timed-out, cancelled, cancelled
//     thread:  cancelled
//     promise: cancelled
//     queued after dropping: 0, woken: 0

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <stop_token>
#include <thread>

#include <futon/futon.hpp>

using namespace std::chrono_literals;
using futon::WaitResult;

namespace {

/// A call takes a time, a stop token, or both.
bool give_up_in_each_way() {
    futon::AsyncLock lock;
    lock.lock();
    std::stop_source source;
    source.request_stop();
    const std::stop_token stop = source.get_token();

    const auto late = lock.scoped_lock(1ms);           // for a time
    const auto stopped = lock.scoped_lock(stop);       // until a stop is requested
    const auto either = lock.scoped_lock({1h, stop});  // whichever comes first

    std::printf("limits:  %s, %s, %s\n", to_string(late.result()).data(), to_string(stopped.result()).data(),
                to_string(either.result()).data());
    lock.unlock();
    return late.result() == WaitResult::timed_out && stopped.result() == WaitResult::cancelled &&
           either.result() == WaitResult::cancelled;
}

}  // namespace

int main() {
    const bool gives_up = give_up_in_each_way();  // before the thread has a loop, and must not block

    futon::EventLoop loop;
    std::atomic<int> word{0};

    WaitResult of_thread = WaitResult::ok;
    std::jthread worker([&](std::stop_token stop) { of_thread = futon::wait(word, 0, stop); });
    worker.request_stop();  // before or after the worker is queued: the answer is the same
    worker.join();
    std::cout << "thread:  " << to_string(of_thread) << '\n';

    std::stop_source source;
    auto answer = futon::wait_async(word, 0, source.get_token());
    source.request_stop();
    const WaitResult of_promise = loop.run_until(answer.promise());
    std::cout << "promise: " << to_string(of_promise) << '\n';

    { auto dropped = futon::wait_async(word, 0); }  // pending, and nothing listens: dequeued here
    const std::size_t queued = futon::core::process_table().count(&word);
    const std::size_t woken = futon::notify(word);
    std::printf("queued after dropping: %zu, woken: %zu\n", queued, woken);

    const bool is_right = gives_up && of_thread == WaitResult::cancelled && of_promise == WaitResult::cancelled;
    return is_right && queued == 0 && woken == 0 ? 0 : 1;
}
