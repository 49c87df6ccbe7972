// SPDX-License-Identifier: MIT
#include <futon/asio.hpp>
#include <futon/futon.hpp>

using namespace std::chrono_literals;

void select(futon::Channel<int>& channel) {
    futon::asio::async_select(futon::asio::choices(channel.receiving()), 5ms, [](futon::asio::error_code, auto) {});
}
