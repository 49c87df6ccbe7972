// SPDX-License-Identifier: MIT
#include <futon/asio.hpp>
#include <futon/futon.hpp>

using namespace std::chrono_literals;

void receive(futon::Channel<int>& channel, std::stop_token stop) {
    futon::asio::async_receive(channel, {5ms, stop}, [](futon::asio::error_code, futon::Received<int>) {});
}
