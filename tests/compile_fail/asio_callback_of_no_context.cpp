// SPDX-License-Identifier: MIT
#include <futon/asio.hpp>
#include <futon/futon.hpp>

void lock(futon::AsyncLock& lock) {
    futon::asio::async_lock(lock, [](futon::asio::error_code, futon::AsyncLock::Guard) {});
}
