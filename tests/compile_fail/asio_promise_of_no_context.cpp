// SPDX-License-Identifier: MIT
#include <futon/asio.hpp>
#include <futon/futon.hpp>

void get(futon::Promise<int> promise) {
    auto future = futon::asio::async_get(std::move(promise), futon::asio::net::use_future);
}
