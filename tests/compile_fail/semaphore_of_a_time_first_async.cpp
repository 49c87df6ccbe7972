// SPDX-License-Identifier: MIT
#include <chrono>

#include <futon/futon.hpp>

futon::Promise<void> acquire(futon::Semaphore& semaphore) {
    const auto permits = co_await semaphore.scoped_acquire_async(std::chrono::milliseconds(5), 2);
}
