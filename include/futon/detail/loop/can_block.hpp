// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/agent.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/platform.hpp>
#include <futon/detail/this_thread.hpp>

namespace futon::detail {

/// Whether the calling thread may block: one load and a rarely taken branch, for the fast paths of locks.
inline bool this_thread_can_block() noexcept {
    const Agent* agent = this_agent();
    return agent == nullptr ? plain_thread_can_block() : agent->can_block();
}

[[noreturn]] FUTON_API void throw_blocking_forbidden(const char* operation);

}  // namespace futon::detail

#include <futon/detail/end.hpp>
