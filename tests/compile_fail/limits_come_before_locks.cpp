// SPDX-License-Identifier: MIT
#include <chrono>

#include <futon/sync/lock_all.hpp>

void lock(futon::AsyncLock& a, futon::AsyncLock& b) {
    const auto both = futon::lock_all(a, b, std::chrono::milliseconds(5));
}
