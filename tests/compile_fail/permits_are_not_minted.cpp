// SPDX-License-Identifier: MIT
#include <futon/sync/semaphore.hpp>

void acquire_nothing(futon::Semaphore& semaphore) {
    const futon::Semaphore::Permits permits(semaphore, 2);
}
