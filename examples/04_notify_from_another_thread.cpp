// SPDX-License-Identifier: MIT
//
// A worker prepares a result and notifies; the main loop waits for it without blocking. The continuation runs on the
// main thread, and sees everything the worker wrote before it notified.
//
// Prints:
//     6 * 7 = 42, told on the main thread

#include <atomic>
#include <cstdio>
#include <thread>

#include <futon/futon.hpp>

int main() {
    futon::EventLoop loop;
    std::atomic<bool> ready{false};
    int result = 0;  // plain memory: what orders it is the notify

    auto told = futon::wait_async(ready, false).promise().then([&](futon::WaitResult) {
        std::printf("6 * 7 = %d, told on the main thread\n", result);
        return std::this_thread::get_id();
    });
    std::jthread worker([&] {
        result = 6 * 7;
        ready = true;
        futon::notify(ready);
    });

    const bool is_main_thread = loop.run_until(told) == std::this_thread::get_id();
    return is_main_thread && result == 42 ? 0 : 1;
}
