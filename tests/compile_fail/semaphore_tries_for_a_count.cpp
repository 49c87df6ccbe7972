// SPDX-License-Identifier: MIT
#include <chrono>

#include <futon/futon.hpp>

bool acquire(futon::Semaphore& semaphore) {
    return semaphore.try_acquire_for(2, std::chrono::milliseconds(5));
}
