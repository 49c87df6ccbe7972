// SPDX-License-Identifier: MIT
// A worker thread and coroutines of Asio share a lock. The thread may block; the context never does.
#include <cstdio>
#include <mutex>
#include <thread>

#include <futon/asio.hpp>
#include <futon/futon.hpp>

namespace net = futon::asio::net;

int main() {
    futon::AsyncLock lock;
    int balance = 0;
    net::io_context context;
    const auto deposit = [&](int times) -> net::awaitable<void> {
        for (int i = 0; i < times; ++i) {
            auto guard = co_await futon::asio::async_lock(lock, net::use_awaitable);
            ++balance;
        }
    };
    net::co_spawn(context, deposit(500), net::detached);
    net::co_spawn(context, deposit(500), net::detached);
    std::thread worker([&] {
        for (int i = 0; i < 1000; ++i) {
            const std::lock_guard hold(lock);
            ++balance;
        }
    });
    context.run();
    worker.join();
    std::printf("balance: %d\n", balance);
}
