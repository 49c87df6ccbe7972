// SPDX-License-Identifier: MIT
#include <chrono>

#include <futon/futon.hpp>

futon::Promise<void> wait(futon::Condition& condition, futon::AsyncLock::Guard& guard) {
    (void)co_await condition.wait_async(guard, std::chrono::milliseconds(5), [] { return true; });
}
