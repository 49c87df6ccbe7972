// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>
#include <utility>

#include <futon/detail/stop_token.hpp>

#include "platform/race_detector.hpp"

namespace futon::platform {

// Tells a race detector what a stop token orders, because the detector does not see the library's use of it. See
// race_detector.hpp. The atomics of a token's state are in its first eight bytes; a callback's, anywhere within it.

/// Calls `note` with each address of `size` bytes at which an atomic can be. Not inline, nor is the next: only few
/// programs get here.
[[gnu::noinline]] inline void for_cells(const void* begin, std::size_t size,
                                        void (*note)(const void*) noexcept) noexcept {
    for (std::size_t i = 0; i < size; i += sizeof(int)) note(static_cast<const std::byte*>(begin) + i);
}

[[gnu::noinline]] inline void for_state(const std::stop_token& token, void (*note)(const void*) noexcept) noexcept {
    if constexpr (sizeof token == sizeof(void*)) {  // a pointer to the state, in all existing libraries
        if (!token.stop_possible()) return;
        const void* state = nullptr;
        std::memcpy(&state, static_cast<const void*>(&token), sizeof state);
        for_cells(state, 8, note);
    }
}

/// Whether a stop was requested. If so, what came before the request is seen.
inline bool is_stop_requested(const std::stop_token& token) noexcept {
    if (!token.stop_requested()) return false;
    if (is_race_detected()) for_state(token, note_acquire);
    return true;
}

/// Makes a callback in `place`, an optional. The thread that runs it sees what came before. That may be this one, at once.
template <class Place, class F>
void watch_stop(Place& place, const std::stop_token& token, F f) noexcept {
    if (is_race_detected()) for_state(token, note_release);
    place.emplace(token, std::move(f));
    static_cast<void>(is_stop_requested(token));
}

/// Ends the callback in `place`, if there is one, and waits for a thread that runs it.
template <class Place>
void unwatch_stop(Place& place) noexcept {
    if (!place) return;
    place.reset();
    if (is_race_detected()) for_cells(&place, sizeof place, note_acquire);  // of the thread that ran it
}

}  // namespace futon::platform
