// SPDX-License-Identifier: MIT
#include <futon/asio.hpp>

#include <thread>

#include <futon/futon.hpp>

int main() {
    futon::asio::net::io_context context;
    futon::Event event;
    bool is_called = false;
    futon::asio::async(context, event.waiting(), [&](auto error, futon::WaitResult result) {
        is_called = !error && result == futon::WaitResult::ok;
    });
    std::jthread setter([&] { event.set(); });
    context.run();
    return is_called ? 0 : 1;
}
