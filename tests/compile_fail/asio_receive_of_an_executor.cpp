// SPDX-License-Identifier: MIT
#include <futon/asio.hpp>
#include <futon/futon.hpp>

void receive(futon::asio::net::any_io_executor executor, futon::Channel<int>& channel) {
    futon::asio::async_receive(executor, channel, [](futon::asio::error_code, futon::Received<int>) {});
}
