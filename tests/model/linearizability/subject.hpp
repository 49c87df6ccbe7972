// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace futon::test {

/// What the calls of a program are about, and how it is at first.
struct Subject {
    enum class Type : std::uint8_t { word, lock, semaphore, event, auto_reset_event, channel, latch, shared_lock };

    Type type = Type::word;
    int amount = 0;          ///< the permits of a semaphore, the capacity of a channel, the count of a latch
    bool is_strict = false;  ///< of a semaphore or a SharedLock

    bool is_of_words() const { return type == Type::word || type == Type::lock; }

    /// Whether one that finds nothing to take has seen all that was done before its call, in time. A try of a semaphore, of a
    /// SharedLock or of an event is one relaxed load, which may miss what did not happen before it.
    bool orders_refusals() const { return is_of_words() || type == Type::channel; }

    std::string to_string() const;
};

}  // namespace futon::test
