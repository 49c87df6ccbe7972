// SPDX-License-Identifier: MIT
#include <futon/asio.hpp>
#include <futon/futon.hpp>

void wait(futon::Event& event) {
    futon::asio::async(event, [](futon::asio::error_code, futon::WaitResult) {});
}
