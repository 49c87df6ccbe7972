// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <futon/agent.hpp>

namespace futon::javascript {

/// Where the promises of this thread's JavaScript settle: its current agent; or that of a loop which the thread's own loop runs,
/// and which is made here, if the thread has made no agent. That loop ends with its thread; on the main thread never.
///
/// Throws  NoExecutor if the thread has an agent without an executor, and had none when it began; what EventLoop::start throws
Agent& agent_here();

/// What `waiters` shows a thread of JavaScript by: zero for the main thread, else its pthread_t.
std::int64_t number_of_this_thread() noexcept;

}  // namespace futon::javascript
