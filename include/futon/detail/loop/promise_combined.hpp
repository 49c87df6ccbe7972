// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <type_traits>
#include <utility>
#include <variant>

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

}  // namespace futon::detail

#include <futon/detail/end.hpp>
