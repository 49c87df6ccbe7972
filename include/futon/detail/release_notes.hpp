// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>

namespace futon::detail {

/// What a thread notes of what it takes and releases while others wait for it. It decides nothing: where a note does not hold any more,
/// that costs an exchange in vain, or a handoff that is some releases late.
struct ReleaseNotes {
    // The word of the lock that it had last, if that was more than free or held; and what it left there, if it was the last.
    const void* word = nullptr;
    std::uint32_t left = 0;

    // How many times it need not ask whether a handoff is due, where it asked last, and when.
    std::uint32_t unasked = 0;
    const void* asked_for = nullptr;
    std::uint64_t asked_at = 0;
};

}  // namespace futon::detail

#include <futon/detail/end.hpp>
