// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>
#include <futon/select.hpp>

void choose(futon::AsyncLock& lock, const futon::Promise<int>& promise) {
    futon::select(lock.locking(), futon::settled(promise));
}
