// SPDX-License-Identifier: MIT
#include <chrono>

#include <futon/futon.hpp>

void acquire(futon::Semaphore& semaphore) {
    (void)semaphore.acquire(std::chrono::milliseconds(5), 2);
}
