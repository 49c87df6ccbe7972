// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <type_traits>

#include <futon/promise.hpp>

namespace futon {

/// What the promise of a function that runs while a lock is held, as `AsyncLock::execute_locked` runs it, is fulfilled
/// with: what the function returns; or, if it returns a promise, what that promise is fulfilled with. Use it to declare
/// a function of your own that passes another one on.
///
///     template <class F>
///     futon::Promise<futon::LockedResult<F>> change(F f) { return lock.execute_locked(std::move(f)); }
template <class F>
using LockedResult = typename detail::Unwrapped<std::invoke_result_t<F&>>::Type;

}  // namespace futon

#include <futon/detail/end.hpp>
