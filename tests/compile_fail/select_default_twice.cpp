// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>
#include <futon/select.hpp>

void choose(futon::AsyncLock& lock) {
    futon::select(lock.locking(), futon::otherwise(), futon::otherwise());
}
