// SPDX-License-Identifier: MIT
#include <futon/asio.hpp>
#include <futon/futon.hpp>

void lock(futon::AsyncLock& lock, std::stop_token stop) {
    futon::asio::async_lock(lock, stop, [](futon::asio::error_code, futon::AsyncLock::Guard) {});
}
