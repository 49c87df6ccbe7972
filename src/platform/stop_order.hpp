// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>

#include <futon/detail/stop_token.hpp>

#include "platform/race_detector.hpp"

namespace futon::platform {

// Tells a race detector what a stop token orders, for the detector does not see the library's use of it. See
// race_detector.hpp. The atomics of a token's state are in its first eight bytes; those of a callback, anywhere within
// it.

/// Calls `note` with each address of `size` bytes at which an atomic can be.
inline void for_cells(const void* begin, std::size_t size, void (*note)(const void*) noexcept) noexcept {
    for (std::size_t i = 0; i < size; i += sizeof(int)) note(static_cast<const std::byte*>(begin) + i);
}

inline void for_state(const std::stop_token& token, void (*note)(const void*) noexcept) noexcept {
    if constexpr (sizeof token == sizeof(void*)) {  // a pointer to the state, in all existing libraries
        if (!is_race_detected() || !token.stop_possible()) return;
        const void* state = nullptr;
        std::memcpy(&state, static_cast<const void*>(&token), sizeof state);
        for_cells(state, 8, note);
    }
}

/// Before a callback is made: the thread that runs it sees what came before.
inline void note_stop_is_watched(const std::stop_token& token) noexcept {
    for_state(token, note_release);
}

/// After a stop was found to be requested: what came before the request is seen.
inline void note_stop_is_seen(const std::stop_token& token) noexcept {
    for_state(token, note_acquire);
}

/// After a callback has ended: the thread that ran it is done with it. `callback` may be destroyed already.
inline void note_callback_is_over(const void* callback, std::size_t size) noexcept {
    if (is_race_detected()) for_cells(callback, size, note_acquire);
}

}  // namespace futon::platform
