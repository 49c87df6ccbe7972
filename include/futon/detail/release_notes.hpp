// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>

namespace futon::detail {

/// What a thread notes of what it takes and releases while others wait for it. Where a note does not hold any more, that costs an
/// exchange in vain, a handoff that is some releases late, or wakes in vain.
struct ReleaseNotes {
    // The word of the lock that it had last, if that was more than free or held; and what it left there, if it was the last.
    const void* word = nullptr;
    std::uint32_t left = 0;

    // How many times it need not ask whether a handoff is due, where it asked last, and when.
    std::uint32_t unasked = 0;
    const void* asked_for = nullptr;
    std::uint64_t asked_at = 0;

    // For whether it is the only one that releases what it asked for last: how many turns of four releases were to pass from that time
    // to the next; how many releases it has made since; whether it is to note for how long the same was free until it took it again,
    // and that time, in nanoseconds. Since when it has been alone, or has last woken another for that; zero if it is not, or does not
    // know. And how often it has woken another in vain.
    std::uint32_t turns = 0;
    std::uint32_t releases = 0;
    std::uint64_t free_for = 0;
    std::uint64_t alone_since = 0;
    bool times_take = false;
    std::uint8_t patience = 0;
};

}  // namespace futon::detail

#include <futon/detail/end.hpp>
