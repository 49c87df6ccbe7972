// SPDX-License-Identifier: MIT
#include <futon/asio.hpp>
#include <futon/futon.hpp>

void lock(futon::AsyncLock& lock) {
    auto future = futon::asio::async_lock(lock, futon::asio::net::use_future);
}
