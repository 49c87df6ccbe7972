// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include <futon/detail/release_notes.hpp>
#include <futon/explorer/kernel.hpp>

namespace futon {
class Agent;
}

namespace futon::detail {

inline Agent*& this_agent_slot() noexcept {
    return reinterpret_cast<Agent*&>(explorer::fiber_slot());
}

inline Agent* this_agent() noexcept {
    return this_agent_slot();
}

/// Every schedule draws the same number, so trials are in order.
inline std::uint32_t draw() noexcept {
    return 0;
}

inline ReleaseNotes& release_notes() noexcept {
    static_assert(sizeof(ReleaseNotes) <= explorer::size_of_fiber_memory);  // zeros are its beginning
    return *std::launder(reinterpret_cast<ReleaseNotes*>(explorer::fiber_memory()));
}

struct ReaderLine;

/// Few, for each step on a slot is a point. A program says itself when readers use slots.
struct ReaderLimits {
    static constexpr std::size_t lines = 4, slots_of_line = 1;
    static constexpr bool is_automatic = false;
};

/// Defined with the slots.
ReaderLine* reader_line(std::uint64_t number) noexcept;

inline ReaderLine* this_reader_line() noexcept {
    return reader_line(static_cast<std::uint64_t>(explorer::this_fiber()));
}
inline void set_reader_line(ReaderLine*) noexcept {}

}  // namespace futon::detail
