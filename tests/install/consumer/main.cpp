// SPDX-License-Identifier: MIT
#include <thread>

#include <futon/futon.hpp>

int main() {
    futon::EventLoop loop;
    std::atomic<int> word{0};
    futon::WaitAsyncResult waiting = futon::wait_async(word, 0);
    std::jthread notifier([&] { futon::notify(word); });
    return loop.run_until(std::move(waiting).promise()) == futon::WaitResult::ok ? 0 : 1;
}
