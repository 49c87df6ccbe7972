// SPDX-License-Identifier: MIT
#pragma once

namespace futon {
class Agent;
}

/// Several copies of the library in one process: in the program and in plugins that were linked with it statically. They share
/// what one of them has, of which all others use nothing: its wait queues and, for each thread, which agent is current.
namespace futon::core {

/// Where the agent of the calling thread is kept by the copy whose state is shared. The same place whenever a thread asks.
Agent** common_agent_slot() noexcept;

/// The place that this copy has, used where its state is the one that is shared.
Agent** own_agent_slot() noexcept;

/// This copy's code stays in memory from here on, until the process ends: a thread runs it.
void keep_this_copy_loaded() noexcept;

}  // namespace futon::core
