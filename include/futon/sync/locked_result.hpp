// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <type_traits>

#include <futon/promise.hpp>

namespace futon {

/// The value of the promise that `AsyncLock::execute_locked(f)` and its kin return: what `f` returns; or, if `f`
/// returns a promise, that promise's value. Use it to declare a function of your own that passes `f` on.
///
///     template <class F>
///     futon::Promise<futon::LockedResult<F>> change(F f) { return lock.execute_locked(std::move(f)); }
template <class F>
using LockedResult = typename detail::Unwrapped<std::invoke_result_t<F&>>::Type;

}  // namespace futon

#include <futon/detail/end.hpp>
