// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <cstdint>

#include <futon/detail/atomic.hpp>
#include <futon/detail/this_thread.hpp>

namespace futon::detail {

/// What one thread reads through: a cache line that no other thread writes, unless there are more threads than lines. A slot
/// holds the address of a lock, or null.
struct alignas(64) ReaderLine {
    static constexpr std::size_t count = ReaderLimits::slots_of_line;

    using Slot = Atomic<const void*>;
    Slot all[count];

    Slot& slot_for(const void* lock) noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(lock);
        return all[((address >> 3) ^ (address >> 6)) % count];
    }
};

/// The readers of all locks of the process that are not counted in the lock's own word. All zero when empty: a static one takes
/// no room in the program's file.
struct ReaderSlots {
    /// Until when no lock of this hash is to use the slots. [lines] The writers of one lock pass no cache line to those of another.
    struct alignas(64) Pause {
        Atomic<std::uint64_t> until;
    };
    static constexpr std::size_t pauses_count = 64;

    Pause& pause_for(const void* lock) noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(lock);
        return pauses[((address >> 3) ^ (address >> 9)) % pauses_count];
    }

    ReaderLine lines[ReaderLimits::lines];
    Pause pauses[pauses_count];
    alignas(64) Atomic<std::uint64_t> threads;  // how many have asked for a line
};

}  // namespace futon::detail

#include <futon/detail/end.hpp>
