// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <futon/agent.hpp>

namespace futon::javascript {

/// The agent on which the promises of this thread's JavaScript settle: the thread's current agent. If the thread has
/// made none, this makes a loop that the thread's own loop runs. That loop ends with its thread; on the main thread it
/// never ends.
///
/// Throws  NoExecutor if the thread has an agent without an executor, and had no agent when it began; what
///         EventLoop::start throws
Agent& agent_here();

/// The number by which `waiters` shows a JavaScript thread: zero for the main thread, else its pthread_t.
std::int64_t number_of_this_thread() noexcept;

}  // namespace futon::javascript
