// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <type_traits>

#include <futon/detail/loop/promise_access.hpp>
#include <futon/detail/loop/promise_state.hpp>
#include <futon/promise.hpp>

namespace futon::detail {

/// Calls a function that returns a promise, and keeps the function and its captures until the promise has settled.
template <class F>
struct KeptCall {
    static Promise<void> begin(F f) {
        const auto promise = f();
        using T = typename std::remove_cvref_t<decltype(promise)>::value_type;
        co_await PromiseAwaiter<T, void>(PromiseAccess::state_of(promise));
    }
};

}  // namespace futon::detail

#include <futon/detail/end.hpp>
