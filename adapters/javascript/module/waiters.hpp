// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "held_locks.hpp"

namespace futon::javascript {

/// A waiter as it was when it was seen.
struct SeenWaiter {
    const void* address;
    const char* operation;  ///< its name is a constant of the program
    std::int64_t thread;    ///< whose JavaScript waits; -1 for C++
    bool is_blocked;
    Acquisition holder{};  ///< JavaScript's, of a lock that it waits for
};

/// The waiters at an address, in the order of their queue; all of the program, if it is null.
///
/// Throws  std::bad_alloc
std::vector<SeenWaiter> waiters_at(const void* address);

}  // namespace futon::javascript
