// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>

namespace futon::core {

/// The question that decides whether a waiter is enqueued, and where: "does the word at this address still hold this
/// value?", "is this lock held?".
///
/// A table asks it under the lock of the address's queue, which a notify takes too. [check] So it must neither block, nor
/// allocate, nor throw, nor call a table. It may change its word: a lock that it finds free is taken by it, and one that it
/// finds held is noted to have a waiter.
///
/// `Word::equals` makes one that changes nothing.
struct WaitCheck {
    void* address;           ///< the word, which is the key of its wait queue
    std::uint64_t expected;  ///< passed on to the function; the bytes of a value, the rest zero
    bool (*must_wait_at)(void* address, std::uint64_t expected) noexcept;

    /// Asks it. Returns whether there is something to wait for.
    bool must_wait() const noexcept { return must_wait_at(address, expected); }
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
