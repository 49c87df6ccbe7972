// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

futon::Promise<void> lock(futon::Guarded<int>& a, futon::AsyncLock& b) {
    co_await futon::lock_all_async(a, b);
}
