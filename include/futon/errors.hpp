// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <stdexcept>

#include <futon/detail/export.hpp>

#if !defined(__cpp_exceptions)
#error "futon needs exceptions (no -fno-exceptions): misuse, failed system calls and rejected promises are thrown"
#endif

namespace futon {

/// Thrown by `wait`, `select`, `AsyncLock::lock` and `core::block` on an agent that may not block, before they read any word.
///
/// Spec  the TypeError of Atomics.wait where [[CanBlock]] is false.
struct FUTON_API BlockingForbidden : std::logic_error {
    using std::logic_error::logic_error;
};

/// Thrown by what needs an executor for what comes later, on an agent that has none (a thread without an event loop) or
/// that is closed or ending: `wait_async`, `select_async`, `make_promise`, `then`, `co_await`, `execute_locked`, `lock_async` and
/// `core::promise_of`. Thrown too by a wait with a finite deadline whose executor keeps no timers.
struct FUTON_API NoExecutor : std::logic_error {
    using std::logic_error::logic_error;
};

/// What a promise is rejected with if its PromiseSource is dropped before it has settled, unless there is no memory for it.
struct FUTON_API BrokenPromise : std::logic_error {
    using std::logic_error::logic_error;
};

}  // namespace futon

#include <futon/detail/end.hpp>
