// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <exception>
#include <type_traits>
#include <utility>

#include <futon/detail/loop/promise_state.hpp>
#include <futon/detail/loop/sourced_promise.hpp>
#include <futon/promise.hpp>
#include <futon/promise_combine.hpp>

// How promises are made that are settled already.
namespace futon {

template <class T>
Promise<std::decay_t<T>> fulfilled(T&& value) {
    auto& state = *new detail::PromiseState<std::decay_t<T>>;
    Promise<std::decay_t<T>> promise = detail::PromiseAccess::handle_of<std::decay_t<T>>(state);
    state.fulfil(std::forward<T>(value));
    return promise;
}

inline Promise<void> fulfilled() {
    auto& state = *new detail::PromiseState<void>;
    Promise<void> promise = detail::PromiseAccess::handle_of<void>(state);
    state.fulfil();
    return promise;
}

template <class T>
Promise<T> rejected(std::exception_ptr exception) {
    if (exception == nullptr) detail::throw_null_exception();
    auto& state = *new detail::PromiseState<T>;
    Promise<T> promise = detail::PromiseAccess::handle_of<T>(state);
    state.reject(std::move(exception));
    return promise;
}

}  // namespace futon

#include <futon/detail/end.hpp>
