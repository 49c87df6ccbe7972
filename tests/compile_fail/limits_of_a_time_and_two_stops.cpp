// SPDX-License-Identifier: MIT
#include <chrono>
#include <stop_token>

#include <futon/futon.hpp>

void acquire(futon::Semaphore& semaphore, std::stop_token one, std::stop_token other) {
    const auto permits = semaphore.scoped_acquire({std::chrono::milliseconds(5), one, other});
}
