// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace futon::node {

/// What JavaScript and C++ write to each other beside a call: an ArrayBuffer that both see. A number that is left here
/// costs a store; as an argument of N-API it costs more than the notify it is for.
///
/// lib/native.js has the same offsets.
struct Mailbox {
    // From JavaScript.
    double address;            // of the word
    double timeout;            // in milliseconds; infinity for ever
    double count;              // how many to notify; after the call, how many were
    std::int64_t expected;     // the value of a word of 8 bytes
    std::int32_t narrow;       // the value of a word of 4 bytes
    std::int32_t width;        // 4 or 8
    std::int32_t slot;         // of a pending wait
    std::int32_t is_settling;  // the batch is in use: not to be written

    // From C++.
    std::int32_t outcome;     // a slot, or one of `Outcome`
    std::int32_t light_slot;  // that the next wait will have; -1 if there is none. See PendingWait
    std::int32_t heavy_slot;  // the same, beyond those; always one
    std::int32_t batch_size;  // how many are in the batch, for JavaScript to settle now
    std::int32_t has_more;    // and there are more

    static constexpr std::int32_t max_batch = 256;
    std::array<std::uint32_t, max_batch> batch;  // slot, has_promise (1 bit), WaitResult (2 bits)
};

static_assert(offsetof(Mailbox, expected) == 24 && offsetof(Mailbox, narrow) == 32 && offsetof(Mailbox, batch) == 68);

/// What a call says that did not end in a pending wait.
enum Outcome : std::int32_t {
    ok = -1,
    not_equal = -2,
    timed_out = -3,
    ended = -4,  // the environment is shutting down
    not_held = -5,
};

}  // namespace futon::node
