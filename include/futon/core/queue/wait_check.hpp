// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>

namespace futon::core {

/// By what wakers find a waiter that a check has let wait. All checks of one address say the same.
enum class FoundBy : std::uint8_t {
    /// Any wake-up, also a `notify`, which looks for waiters without the queue's lock. So the enqueueing announces the
    /// waiter by a fence before the check is asked. [announce]
    notify,
    /// A note that the check leaves in its word. Wakers that see it take the queue's lock: `wake_while`, `requeue`,
    /// `dequeue_first`. A `notify` at the same time may miss the waiter. [noted]
    note,
};

/// The check that decides whether a waiter is enqueued, and where: "does the word at this address still hold this
/// value?", "is this lock held?". `Word::equals` makes one.
///
/// A table calls it under the lock of the address's queue, which a notify takes too. [check] So it must not block,
/// allocate, throw, or call a table. It may change its word: it may take a lock that it finds free, or note in a held
/// lock that there is a waiter.
struct WaitCheck {
    void* address;           ///< the word, which is the key of its wait queue
    std::uint64_t expected;  ///< passed on to the function; the bytes of a value, the rest zero
    bool (*must_wait_at)(void* address, std::uint64_t expected) noexcept;
    FoundBy found_by = FoundBy::notify;

    /// Calls the check. Returns whether there is something to wait for.
    bool must_wait() const noexcept { return must_wait_at(address, expected); }
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
