// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void lock(futon::AsyncLock& a, futon::SharedLock& b) {
    const auto hold = futon::lock_all(a, b);
}
