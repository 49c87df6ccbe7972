// SPDX-License-Identifier: MIT
#include <futon/asio.hpp>
#include <futon/futon.hpp>

void get(futon::asio::net::io_context& context, futon::Promise<int> promise) {
    futon::asio::async_get(context, std::move(promise), [](std::exception_ptr, int) {});
}
