// SPDX-License-Identifier: MIT
#include <chrono>
#include <mutex>

#include <futon/futon.hpp>

void wait(futon::Condition& condition, std::unique_lock<futon::AsyncLock>& lock) {
    condition.wait_for(
        lock, [] { return true; }, std::chrono::milliseconds(5));
}
