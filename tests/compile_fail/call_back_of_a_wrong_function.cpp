// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void lock(futon::AsyncLock& lock) {
    futon::call_back(lock.locking(), [](futon::WaitResult) {});
}
