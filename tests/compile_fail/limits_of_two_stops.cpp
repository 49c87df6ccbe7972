// SPDX-License-Identifier: MIT
#include <stop_token>

#include <futon/futon.hpp>

void lock(futon::AsyncLock& lock, std::stop_token one, std::stop_token other) {
    const auto guard = lock.scoped_lock({one, other});
}
