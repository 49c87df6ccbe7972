// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>
#include <futon/select.hpp>

void choose(futon::AsyncLock& lock) {
    auto locking = lock.locking();
    futon::select(locking);
}
