// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <futon/wait_result.hpp>

namespace futon::node {

/// Arguments and results of the calls between JavaScript and C++, in an ArrayBuffer that both see. A number written
/// here costs a store; as an argument of N-API it costs more than the whole notify.
///
/// lib/native.js has the same offsets.
struct Mailbox {
    // From JavaScript.
    double address;            // of the word
    double timeout;            // in milliseconds; infinity: none
    double count;              // how many to wake; after the call, how many were woken
    std::int64_t expected;     // the value of a word of 8 bytes; or a second address, as a double
    std::int32_t narrow;       // the value of a word of 4 bytes
    std::int32_t width;        // 4 or 8
    std::int32_t slot;         // of a pending wait
    std::int32_t is_settling;  // JavaScript reads the batch: C++ must not write it

    // From C++.
    std::int32_t outcome;     // a slot, or one of `Outcome`
    std::int32_t light_slot;  // the slot of the next light wait; -1 if none is free. See PendingWait
    std::int32_t heavy_slot;  // the slot of the next heavy wait; there always is one
    std::int32_t batch_size;  // how many waits of the batch JavaScript has to settle now
    std::int32_t has_more;    // whether more waits are over than the batch holds

    std::int32_t next_note;    // the place of the next note that a lock is held; see HeldLocks
    std::int32_t acquisition;  // of a lock: the last; for an unlock, zero for any
    std::int32_t taken_note;   // the place of the note that an unlock has taken away; -1 if there was none
    std::int32_t loop_time;    // of the loop, at the last try_lock

    std::int32_t kind;  // from JavaScript: of a primitive, one of `Kind`

    static constexpr std::int32_t max_batch = 256;
    std::array<std::uint32_t, max_batch> batch;  // slot, has_promise (1 bit), WaitResult (2 bits)
};

static_assert(offsetof(Mailbox, expected) == 24 && offsetof(Mailbox, narrow) == 32 && offsetof(Mailbox, batch) == 88);

/// The kinds of primitives, as in lib/primitive.js; or a word, in a select; and the two ends of a channel.
enum class Kind : std::int32_t {
    lock,
    semaphore,
    event,
    auto_reset_event,
    latch,
    exclusive_lock,
    shared_lock,
    barrier,
    condition,
    word,
    sending,
    receiving,
    upgradeable_lock,
    upgrade,  // of a lock that is held so
};

/// What can be done with them without waiting, likewise.
enum class Verb : std::int32_t { make, try_take, give, reset, look, limit };

/// The outcome of a call that made no pending wait.
enum Outcome : std::int32_t {
    ok = -1,
    not_equal = -2,
    timed_out = -3,
    ended = -4,  // the environment is shutting down
    not_held = -5,
    held_here = -6,  // this thread holds the lock already
};

constexpr Outcome to_outcome(WaitResult result) noexcept {
    switch (result) {
        case WaitResult::ok:
            return Outcome::ok;
        case WaitResult::not_equal:
            return Outcome::not_equal;
        case WaitResult::timed_out:
            return Outcome::timed_out;
        case WaitResult::cancelled:
            break;
    }
    return Outcome::ended;
}

}  // namespace futon::node
