// SPDX-License-Identifier: MIT
#include <futon/asio.hpp>
#include <futon/futon.hpp>

void lock(futon::asio::net::io_context& context, futon::AsyncLock& lock) {
    futon::asio::async_lock(context, lock, [](futon::asio::error_code, futon::AsyncLock::Guard) {});
}
