// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void adopt(futon::AsyncLock& lock) {
    const futon::AsyncLock::Guard guard(lock);
}
