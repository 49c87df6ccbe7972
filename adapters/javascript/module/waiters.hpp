// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "held_locks.hpp"

namespace futon::javascript {

/// A waiter as it was at the time of the call.
struct SeenWaiter {
    const void* address;
    const char* operation;  ///< a constant string of the program
    std::int64_t thread;    ///< the thread whose JavaScript waits; -1 for C++
    bool is_blocked;
    Acquisition holder{};  ///< if it waits for a lock: the acquisition of JavaScript that holds it
};

/// The waiters at an address, in queue order; all waiters of the program if the address is null.
///
/// Throws  std::bad_alloc
std::vector<SeenWaiter> waiters_at(const void* address);

}  // namespace futon::javascript
