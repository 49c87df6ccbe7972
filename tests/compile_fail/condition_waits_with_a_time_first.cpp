// SPDX-License-Identifier: MIT
#include <chrono>
#include <mutex>

#include <futon/futon.hpp>

void wait(futon::Condition& condition, std::unique_lock<futon::AsyncLock>& lock) {
    (void)condition.wait(lock, std::chrono::milliseconds(5), [] { return true; });
}
