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
    unlock,
    acquire,        ///< threads only; the operand is the number of permits
    acquire_async,  ///< event loops only
    try_acquire,
    release,
    wait_signal,        ///< for an Event or an AutoResetEvent; threads only
    wait_signal_async,  ///< event loops only
    try_wait_signal,
    set,
    reset,
    send,        ///< threads only; the operand is the item
    send_async,  ///< event loops only
    try_send,
    receive,        ///< threads only
    receive_async,  ///< event loops only
    try_receive,
    close,
    count_down,     ///< of a latch; the operand is by how many
    lock_in,        ///< a SharedLock; the operand is the mode; threads only
    lock_in_async,  ///< event loops only; a task that upgrades then, or downgrades, if `desired` is set, and unlocks
    try_lock_in,
    unlock_from,
    upgrade,        ///< threads only
    upgrade_async,  ///< what the task of a lock_in_async does
    try_upgrade,
    downgrade  ///< from the mode that is the operand to the `desired` one
};

/// A SharedLock is held shared, upgradeable or exclusively.
enum Mode : std::uint8_t { unlocked, shared, upgradeable, exclusive };

enum class DeadlineKind : std::uint8_t {
    never,
    soon,   ///< a deadline that may come at any time
    passed  ///< a deadline that has come already
};

/// What an agent asks of the library: an operation and its arguments.
struct Call {
    Kind kind = Kind::load;
    int word = 0;
    int operand = 0;        ///< the value to store or to expect, the permits, the item, the mode
    int desired = 0;        ///< the other value of compare_exchange, the mode of a downgrade
    std::size_t count = 0;  ///< of notify
    DeadlineKind deadline = DeadlineKind::never;
    bool has_stop = false;

    bool is_acquire() const { return kind == Kind::acquire || kind == Kind::acquire_async; }
    bool is_wait_for_signal() const { return kind == Kind::wait_signal || kind == Kind::wait_signal_async; }
    bool is_lock_in() const { return kind == Kind::lock_in || kind == Kind::lock_in_async; }
    bool is_upgrade() const { return kind == Kind::upgrade || kind == Kind::upgrade_async; }
    bool is_send() const { return kind == Kind::send || kind == Kind::send_async; }
    bool is_receive() const { return kind == Kind::receive || kind == Kind::receive_async; }

    /// Whether it is about a primitive of the family: a semaphore, an event, a channel, a latch, a SharedLock.
    bool is_of_family() const { return kind >= Kind::acquire; }

    /// Whether it is one of the family that may wait.
    bool is_family_wait() const { return is_barging() || is_upgrade() || waits_in_order(); }

    /// Whether it is one of the family that may take past those that wait.
    bool is_barging() const { return is_acquire() || is_lock_in(); }

    /// Whether it is one of the family whose waiters are served first come, first served, without exception.
    bool waits_in_order() const { return is_wait_for_signal() || is_send() || is_receive(); }

    std::string to_string() const;
};

}  // namespace futon::test
