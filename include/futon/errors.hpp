// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <stdexcept>

#include <futon/detail/export.hpp>

#if !defined(__cpp_exceptions)
#error "futon needs exceptions (no -fno-exceptions): misuse, failed system calls and rejected promises are thrown"
#endif

namespace futon {

/// Thrown by blocking functions on an agent that may not block: `wait`, `select`, `AsyncLock::lock`, `core::block` and
/// others. They throw it before they read any word. It means a mistake, so programs rarely catch it: use the
/// asynchronous counterparts there.
///
///     auto guard = co_await lock.scoped_lock_async();   // on an event loop, instead of lock.scoped_lock()
///
/// Spec  the TypeError of Atomics.wait if [[CanBlock]] is false.
struct FUTON_API BlockingForbidden : std::logic_error {
    using std::logic_error::logic_error;
};

/// Thrown by a function whose result comes later if the agent has no executor (a thread without an event loop), is
/// closed, or is ending: `wait_async`, `select_async`, `make_promise`, `then`, `co_await`, `execute_locked`,
/// `lock_async`, `core::promise_of`. Also thrown by a wait with a finite deadline if its executor keeps no timers.
struct FUTON_API NoExecutor : std::logic_error {
    using std::logic_error::logic_error;
};

/// Rejects a promise whose PromiseSource is dropped before settling it, unless there is no memory for it. Catch it
/// where a worker may give up without a result.
struct FUTON_API BrokenPromise : std::logic_error {
    using std::logic_error::logic_error;
};

}  // namespace futon

#include <futon/detail/end.hpp>
