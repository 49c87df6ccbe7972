// SPDX-License-Identifier: MIT
#include <mutex>

#include <futon/futon.hpp>

futon::Promise<void> wait(futon::Condition& condition, std::unique_lock<futon::AsyncLock>& lock) {
    (void)co_await condition.wait_async(lock);
}
