// SPDX-License-Identifier: MIT
#include <mutex>

#include <futon/futon.hpp>

void wait(futon::Condition& condition, futon::SharedLock& lock) {
    std::unique_lock hold(lock);
    condition.wait(hold);
}
