// SPDX-License-Identifier: MIT
#include <mutex>

#include <futon/futon.hpp>

void wait(futon::Condition& condition, std::unique_lock<std::mutex>& lock) {
    condition.wait(lock);
}
