// SPDX-License-Identifier: MIT
#include <futon/asio.hpp>
#include <futon/futon.hpp>

void wait(futon::asio::net::io_context& context, futon::Event& event) {
    futon::asio::async(context, event, [](futon::asio::error_code, futon::WaitResult) {});
}
