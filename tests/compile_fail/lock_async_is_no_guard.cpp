// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

futon::Promise<void> hold(futon::AsyncLock& lock) {
    const futon::AsyncLock::Guard guard = co_await lock.lock_async();
}
