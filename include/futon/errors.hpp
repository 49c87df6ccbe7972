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

/// Thrown by `wait_async`, `then`, `co_await`, `execute_locked` and `scoped_lock_async` on an agent that has no executor for
/// what comes later (a thread without an event loop), or that is ending; and by a wait with a deadline whose executor
/// keeps no timers.
struct NoExecutor : std::logic_error {
    using std::logic_error::logic_error;
};

/// What a promise is rejected with whose PromiseSource was dropped before it had settled.
struct BrokenPromise : std::logic_error {
    using std::logic_error::logic_error;
};

}  // namespace futon
