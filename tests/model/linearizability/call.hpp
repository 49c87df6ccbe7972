// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace futon::test {

inline constexpr int words = 2;

enum class Kind : std::uint8_t {
    load,
    store,
    exchange,
    compare_exchange,
    notify,
    wait,        ///< threads only
    wait_async,  ///< event loops only
    request_stop,
    lock,               ///< threads only
    scoped_lock_async,  ///< event loops only
    try_lock,
    unlock
};

enum class DeadlineKind : std::uint8_t {
    never,
    soon,   ///< a deadline that may come at any time
    passed  ///< a deadline that has come already
};

/// What an agent asks of the library: an operation and its arguments.
struct Call {
    Kind kind = Kind::load;
    int word = 0;
    int operand = 0;        ///< the value to store or to expect
    int desired = 0;        ///< the other value of compare_exchange
    std::size_t count = 0;  ///< of notify
    DeadlineKind deadline = DeadlineKind::never;
    bool has_stop = false;

    std::string to_string() const;
};

}  // namespace futon::test
