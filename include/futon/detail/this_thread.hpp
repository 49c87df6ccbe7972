// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <cstdint>

#include <futon/detail/export.hpp>
#include <futon/detail/release_notes.hpp>

namespace futon {
class Agent;
}

/// The state of a thread. A build that explores schedules, whose threads are fibers, puts another file of this name first
/// on its include path.
namespace futon::detail {

// Where the agent of the calling thread is kept; null until this copy of the library has asked: several copies in one process
// have one place for each thread. Constant-initialized and trivial, so that reading it costs an address and not a call.
FUTON_API extern constinit thread_local Agent** this_thread_slot;

/// Asks, once for each thread.
FUTON_API Agent** find_this_thread_slot() noexcept;

/// Where the agent of the calling thread is kept. Its address identifies the thread.
inline Agent*& this_agent_slot() noexcept {
    Agent** const slot = this_thread_slot;
    return slot != nullptr ? *slot : *find_this_thread_slot();
}

/// The agent that is current on the calling thread; null where none was made.
inline Agent* this_agent() noexcept {
    return this_agent_slot();
}

// How often this thread has drawn from this copy of the library; so no cache line is shared for it.
FUTON_API extern constinit thread_local std::uint32_t this_thread_draws;

/// A number that serves for a fair choice: of the calling thread's numbers all are equally likely, whichever of them are used.
inline std::uint32_t draw() noexcept {
    std::uint32_t drawn = ++this_thread_draws * 0x9e3779b9U;  // steps of the golden ratio, then mixed
    drawn = (drawn ^ (drawn >> 16)) * 0x85ebca6bU;
    drawn = (drawn ^ (drawn >> 13)) * 0xc2b2ae35U;
    return drawn ^ (drawn >> 16);
}

FUTON_API extern constinit thread_local ReleaseNotes this_thread_releases;

inline ReleaseNotes& release_notes() noexcept {
    return this_thread_releases;
}

struct ReaderLine;

/// How many threads have a line of slots of their own (see reader_slots.hpp), and through how many locks each reads at a time by a
/// slot; and whether locks decide for themselves when their readers use slots.
struct ReaderLimits {
    static constexpr std::size_t lines = 64, slots_of_line = 8;
    static constexpr bool is_automatic = true;
};

// Where the calling thread notes the locks that it reads through (see reader_slots.hpp); null until it has asked.
FUTON_API extern constinit thread_local ReaderLine* this_thread_readers;

inline ReaderLine* this_reader_line() noexcept {
    return this_thread_readers;
}
inline void set_reader_line(ReaderLine* line) noexcept {
    this_thread_readers = line;
}

}  // namespace futon::detail

#include <futon/detail/end.hpp>
