// SPDX-License-Identifier: MIT
#pragma once

namespace futon {
class Agent;
namespace detail {
struct ReaderLine;
struct ReaderSlots;
}  // namespace detail
}  // namespace futon

/// A process may have several copies of the library: in the program and in plugins that were linked with it statically.
/// All of them use the wait queues of one copy, and its record of the current agent of each thread; the others' own are
/// unused.
namespace futon::core {

/// The place of the calling thread's agent in the copy whose state is shared. The same whenever a thread asks.
Agent** common_agent_slot() noexcept;

/// This copy's own place, used if its state is the shared one.
Agent** own_agent_slot() noexcept;

/// The slots of readers, and the calling thread's line of them, in the copy whose state is shared.
detail::ReaderSlots& common_reader_slots() noexcept;
detail::ReaderLine** common_reader_line() noexcept;
detail::ReaderLine** own_reader_line() noexcept;

/// Keeps this copy's code in memory until the process ends: a thread runs it.
void keep_this_copy_loaded() noexcept;

}  // namespace futon::core
