// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <exception>
#include <type_traits>
#include <utility>

#include <futon/core/driver/await.hpp>
#include <futon/core/operation/operation_cycle.hpp>
#include <futon/detail/loop/promise_access.hpp>
#include <futon/limits.hpp>
#include <futon/promise.hpp>
#include <futon/sync/locked_result.hpp>

// `execute_locked` of each lock: a function that runs when an operation has given its guard, which lives as long as the function.
namespace futon::detail {

/// A promise that is settled with what the function returns or throws. Throws std::bad_alloc before it calls the function; or where that
/// returns nothing, but throws, and there is no memory to keep its exception.
template <class F>
auto settled_by(F& f) -> Promise<LockedResult<F>> {
    using T = LockedResult<F>;
    if constexpr (std::is_void_v<T>) {
        PromiseState<void>& fulfilled = fulfilled_with_nothing();
        try {
            f();
            return PromiseAccess::handle_of(fulfilled);
        } catch (...) {
            fulfilled.release();
            auto& rejected = *new PromiseState<void>;
            rejected.reject(std::current_exception());
            return PromiseAccess::handle_of(rejected);
        }
    } else {
        auto& state = *new PromiseState<T>;
        try {
            state.fulfil(f());
        } catch (...) {
            state.reject(std::current_exception());
        }
        return PromiseAccess::handle_of(state);
    }
}

template <class Op, class F>
auto call_holding(Op op, F f) -> Promise<LockedResult<F>> {
    const auto guard = co_await core::Await<Op>(std::move(op), Limits());
    if constexpr (Unwrapped<std::invoke_result_t<F&>>::is_promise) {
        co_return co_await f();
    } else {
        co_return f();
    }
}

/// Where nothing must be waited for, no coroutine is made.
template <class Op, class F>
auto execute_holding(Op op, F f) -> Promise<LockedResult<F>> {
    if constexpr (!Unwrapped<std::invoke_result_t<F&>>::is_promise) {
        if (core::try_now(op)) {
            const auto guard = op.result(core::Ending::at_once);
            return settled_by(f);
        }
    }
    return call_holding(std::move(op), std::move(f));
}

}  // namespace futon::detail

#include <futon/detail/end.hpp>
