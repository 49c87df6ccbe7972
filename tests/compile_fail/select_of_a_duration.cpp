// SPDX-License-Identifier: MIT
#include <chrono>

#include <futon/futon.hpp>
#include <futon/select.hpp>

void choose(futon::AsyncLock& lock) {
    futon::select(lock.locking(), std::chrono::milliseconds(1));
}
