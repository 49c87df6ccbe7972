// SPDX-License-Identifier: MIT
#include <chrono>
#include <mutex>

#include <futon/futon.hpp>

void wait(futon::Condition& condition, std::unique_lock<std::mutex>& lock) {
    condition.wait_for(lock, std::chrono::milliseconds(5));
}
