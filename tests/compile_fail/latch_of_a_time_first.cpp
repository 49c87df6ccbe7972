// SPDX-License-Identifier: MIT
#include <chrono>

#include <futon/futon.hpp>

void arrive(futon::Latch& latch) {
    (void)latch.arrive_and_wait(std::chrono::milliseconds(5));
}
