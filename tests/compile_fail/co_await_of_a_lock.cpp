// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

futon::Promise<void> change(futon::AsyncLock& lock, int& value) {
    co_await lock;
    ++value;
}
