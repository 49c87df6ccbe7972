// SPDX-License-Identifier: MIT
#include <futon/asio.hpp>
#include <futon/futon.hpp>

using namespace std::chrono_literals;

void lock(futon::AsyncLock& lock, std::stop_token stop) {
    futon::asio::async_lock(lock, futon::Limits(5ms, stop), [](futon::asio::error_code, futon::AsyncLock::Guard) {});
}
