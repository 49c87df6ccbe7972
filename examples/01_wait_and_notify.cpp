// SPDX-License-Identifier: MIT
//
// One wait queue for both kinds of waiter: a thread that blocks and a promise of the main loop wait on one word, and are
// woken in the order in which they were enqueued.
//
// Prints:
//     thread:  ok
//     promise: ok

#include <atomic>
#include <iostream>
#include <thread>

#include <futon/futon.hpp>

int main() {
    futon::EventLoop loop;     // from here on, this thread must not block
    std::atomic<int> word{0};  // any word of memory can be waited on

    std::jthread worker([&] {
        std::cout << "thread:  " << to_string(futon::wait(word, 0)) << '\n';  // blocks, first in the queue
        word = 1;
        futon::notify(word);  // wakes the waiter that is left
    });
    while (futon::core::process_table().count(&word) == 0) std::this_thread::yield();

    auto promise = futon::wait_async(word, 0).promise().then([&](futon::WaitResult result) {  // second in the queue
        std::cout << "promise: " << to_string(result) << '\n';
        return word == 1;  // the thread was first
    });
    futon::notify(word, 1);  // wakes the waiter that has waited longest
    return loop.run_until(promise) ? 0 : 1;
}
