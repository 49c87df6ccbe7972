// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>
#include <futon/select.hpp>

void choose(futon::AsyncLock& lock) {
    futon::select(futon::otherwise(), lock.locking());
}
