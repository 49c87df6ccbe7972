// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/export.hpp>

namespace futon {
class Agent;
}

/// The state of a thread. A build that explores schedules, whose threads are fibers, puts another file of this name first
/// on its include path.
namespace futon::detail {

// Constant-initialized and trivial, so that reading it costs an address and not a call.
FUTON_API extern constinit thread_local Agent* this_thread_agent;

/// Where the agent of the calling thread is kept. Its address identifies the thread.
inline Agent*& this_agent_slot() noexcept {
    return this_thread_agent;
}

/// The agent that is current on the calling thread; null where none was made. Not by way of the slot: within a coroutine the
/// sanitizer of gcc 12 takes a reference to a thread_local variable for one to null.
inline Agent* this_agent() noexcept {
    return this_thread_agent;
}

}  // namespace futon::detail
