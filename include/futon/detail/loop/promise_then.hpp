// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

#include <futon/detail/loop/promise_state.hpp>
#include <futon/detail/loop/unwrapped.hpp>

namespace futon::detail {

/// What `Promise<T>::then` begins: waits for the value, and calls a function with it as an `Argument`.
template <class T, class Argument>
struct Then {
    using State = PromiseState<T>;
    using Value = typename State::Value;

    template <class F>
    static decltype(auto) reply(F& f, Value& value) {
        if constexpr (std::is_void_v<T>) {
            return std::move(f)();
        } else {
            return std::apply(std::move(f), std::forward_as_tuple(static_cast<Argument>(value)));
        }
    }

    template <class F>
    using Reply = Unwrapped<decltype(reply(std::declval<F&>(), std::declval<Value&>()))>;

    template <class F>
    static Promise<typename Reply<F>::Type> begin(StateRef<State> source, F f) {
        co_await PromiseAwaiter<T, void, Resume::always_later>(*source);
        if constexpr (Reply<F>::is_promise) {
            co_return co_await reply(f, source->value());
        } else {
            co_return reply(f, source->value());
        }
    }
};

}  // namespace futon::detail

#include <futon/detail/end.hpp>
