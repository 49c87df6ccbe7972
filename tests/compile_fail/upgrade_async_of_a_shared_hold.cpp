// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

futon::Promise<void> write(futon::SharedLock& lock) {
    auto reader = co_await lock.scoped_lock_shared_async();
    auto writer = co_await reader.upgrade_async();
}
