// SPDX-License-Identifier: MIT
#include <futon/asio.hpp>
#include <futon/futon.hpp>

void lock(futon::asio::net::io_context& context, futon::AsyncLock& lock) {
    futon::asio::async(context, lock.locking(), [](futon::asio::error_code, futon::WaitResult) {});
}
