// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

futon::Promise<void> forget(futon::AsyncLock& lock) {
    lock.scoped_lock_async();
    co_return;
}
