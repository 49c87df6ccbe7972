// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void change(futon::AsyncLock& lock, int& value) {
    const futon::AsyncLock::Guard guard = lock.scoped_lock_async();
    ++value;
}
