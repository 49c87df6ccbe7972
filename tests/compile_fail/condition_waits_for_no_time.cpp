// SPDX-License-Identifier: MIT
#include <mutex>

#include <futon/futon.hpp>

void wait(futon::Condition& condition, std::unique_lock<futon::AsyncLock>& lock) {
    condition.wait_for(lock);
}
