// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void change(futon::AsyncLock& lock, int& value) {
    const futon::AsyncLock::Guard guard = lock.lock_async();
    ++value;
}
