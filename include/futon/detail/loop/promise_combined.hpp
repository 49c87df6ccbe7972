// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <type_traits>
#include <utility>
#include <variant>

#include <futon/core/probe.hpp>
#include <futon/detail/loop/promise_state.hpp>
#include <futon/promise.hpp>
#include <futon/promise_combine.hpp>

namespace futon::detail {

/// A promise of the value of another as it stands among other values.
template <class T>
Promise<Combined<T>> combined(Promise<T> promise) {
    if constexpr (std::is_void_v<T>) {
        co_await std::move(promise);
        co_return std::monostate();
    } else {
        co_return co_await std::move(promise);
    }
}

/// Tells a probe that a coroutine settles its share of a promise that is made of several.
template <class T>
void tell_of_part([[maybe_unused]] const Promise<void>& part, [[maybe_unused]] const Promise<T>& whole) {
    if constexpr (core::probe::is_enabled)
        core::probe::promise_joins(static_cast<const PromiseStateBase*>(&PromiseAccess::state_of(part)),
                                   static_cast<const PromiseStateBase*>(&PromiseAccess::state_of(whole)));
}

}  // namespace futon::detail

#include <futon/detail/end.hpp>
