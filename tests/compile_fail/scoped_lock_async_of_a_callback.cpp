// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void change(futon::AsyncLock& lock, int& value) {
    lock.scoped_lock_async([&](auto) { ++value; });
}
