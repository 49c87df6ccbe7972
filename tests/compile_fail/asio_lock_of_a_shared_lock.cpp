// SPDX-License-Identifier: MIT
#include <futon/asio.hpp>
#include <futon/futon.hpp>

void lock(futon::SharedLock& lock) {
    futon::asio::async_lock(lock, [](futon::asio::error_code, futon::SharedLock::Guard) {});
}
