// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void change(futon::AsyncLock& lock, int& value) {
    lock.lock_async([&] { ++value; });
}
