// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

futon::Promise<void> choose(futon::Event& event, futon::AsyncLock& lock) {
    co_await futon::select_async(event.waiting(), lock.scoped_lock_async());
}
