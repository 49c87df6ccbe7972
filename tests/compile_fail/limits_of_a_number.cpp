// SPDX-License-Identifier: MIT
#include <futon/sync/async_lock.hpp>

void lock(futon::AsyncLock& lock) {
    const auto guard = lock.scoped_lock(5);
}
