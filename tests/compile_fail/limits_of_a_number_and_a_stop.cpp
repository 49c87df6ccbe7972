// SPDX-License-Identifier: MIT
#include <futon/sync/async_lock.hpp>

void lock(futon::AsyncLock& lock, std::stop_token stop) {
    const auto guard = lock.scoped_lock({5, stop});
}
