// SPDX-License-Identifier: MIT
#pragma GCC diagnostic error "-Wunused-variable"
#include <futon/futon.hpp>

futon::Promise<void> change(futon::AsyncLock& lock, int& value) {
    auto hold = lock.scoped_lock_async();
    ++value;
    co_return;
}
