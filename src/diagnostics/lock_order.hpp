// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "diagnostics/registry.hpp"

namespace futon::diagnostics::detail {

/// Two orders of locking that may deadlock: a step of each, with its places. Empty if there are none.
struct Inversion {
    struct Step {
        std::string actor, first, second;
        Place first_place, second_place;
    };
    std::vector<Step> steps;
    bool are_async_locks = false;  ///< all of them
};

/// Notes that `holder` acquires the lock at `address` beside what it holds already. Under the mutex. Throws std::bad_alloc.
Inversion note_order(const void* address, const Holder& holder);

/// Says it once. Under no lock.
void report(const Inversion& inversion) noexcept;

/// A lock has ended. Under the mutex.
void forget_order(const void* address) noexcept;

}  // namespace futon::diagnostics::detail
