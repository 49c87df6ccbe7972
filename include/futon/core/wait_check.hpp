// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace futon::core {

/// "The word at this address still holds this value": what a waiter asks before it joins a line.
///
/// `Word::equals` makes one. It is asked under the lock that notify takes, so it must neither block nor throw.
struct WaitCheck {
    void* address;           ///< the word, and the key of its line
    std::uint64_t expected;  ///< the bytes of the value, the rest zero
    bool (*must_wait_at)(void* address, std::uint64_t expected) noexcept;

    bool must_wait() const noexcept { return must_wait_at(address, expected); }
};

}  // namespace futon::core
