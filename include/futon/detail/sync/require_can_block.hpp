// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/agent.hpp>

namespace futon::detail {

/// Throws BlockingForbidden, which names `what`, if the caller's agent may not block.
inline void require_can_block(const char* what) {
    if (!this_thread_can_block()) [[unlikely]]
        throw_blocking_forbidden(what);
}

}  // namespace futon::detail

#include <futon/detail/end.hpp>
