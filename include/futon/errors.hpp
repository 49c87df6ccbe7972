// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>

namespace futon {

/// Thrown by `wait` and `AsyncLock::lock` on an agent that may not block, before they look at any word.
///
/// Spec  the TypeError of Atomics.wait where [[CanBlock]] is false.
struct BlockingForbidden : std::logic_error {
    using std::logic_error::logic_error;
};

/// Thrown by asynchronous waits on an agent that has no executor for their continuation (a thread without an event
/// loop), or whose executor keeps no timers although the wait has a deadline.
struct NoExecutor : std::logic_error {
    using std::logic_error::logic_error;
};

}  // namespace futon
