// SPDX-License-Identifier: MIT
#pragma GCC diagnostic error "-Wunused-result"
#include <futon/futon.hpp>

void choose(futon::AsyncLock& lock, futon::Event& event) {
    futon::select(lock.locking(), event.waiting());
}
