// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void write(futon::SharedLock& lock) {
    auto reader = lock.scoped_lock_shared();
    auto writer = reader.upgrade();
}
