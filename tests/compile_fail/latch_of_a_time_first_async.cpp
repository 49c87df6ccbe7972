// SPDX-License-Identifier: MIT
#include <chrono>

#include <futon/futon.hpp>

futon::Promise<void> arrive(futon::Latch& latch) {
    co_await latch.arrive_and_wait_async(std::chrono::milliseconds(5));
}
