// SPDX-License-Identifier: MIT
// A program that imports futon, and includes no header of it. docs/install.md says how it is compiled.
#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <thread>
#include <variant>

import futon;

using namespace std::chrono_literals;

namespace {

void check(bool holds, const char* what) {
    if (holds) return;
    std::cerr << "not so: " << what << '\n';
    std::exit(1);
}

futon::Promise<int> receive_all(futon::Channel<int>& channel) {
    int sum = 0;
    while (auto item = co_await channel.receive_async()) sum += *item;
    co_return sum;
}

}  // namespace

int main() {
    // A thread waits for a word.
    std::atomic<std::uint32_t> word = 0;
    std::thread waiter([&] { check(futon::wait(word, 0) != futon::WaitResult::timed_out, "the thread was woken"); });
    futon::store_and_notify(word, 1u);
    waiter.join();
    check(futon::wait(word, 1, 1ms) == futon::WaitResult::timed_out, "a wait without a wake ends in time");

    // A thread and a loop share a lock and a channel.
    futon::AsyncLock lock;
    {
        futon::Channel<int> channel(2);
        int sent = 0;  // protected by lock
        std::thread sender([&] {
            for (int item = 1; item <= 100; ++item) {
                check(static_cast<bool>(channel.send(int{item})), "the channel is open");
                const auto guard = lock.scoped_lock();
                ++sent;
            }
            channel.close();
        });
        futon::EventLoop loop;
        auto summing = receive_all(channel);
        const int sum = loop.run_until(summing);
        sender.join();
        check(sum == 5050, "all items came");
        check(sent == 100, "all items were counted");
    }

    // The first of two is chosen.
    const auto chosen = futon::select(futon::waiting(word, 1), lock.locking());
    check(std::holds_alternative<futon::AsyncLock::Guard>(chosen), "a free lock is chosen at once");
    std::cout << "import futon: a word, a lock, a channel, a select\n";
}
