// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include <futon/detail/loop/promise_combined.hpp>
#include <futon/detail/loop/promise_part.hpp>
#include <futon/promise.hpp>
#include <futon/promise_combine.hpp>
#include <futon/promise_source.hpp>

// How promises race.
namespace futon {

namespace detail {

template <std::size_t index, class T, class Result>
Promise<void> run_in_race(std::shared_ptr<PromiseSource<Result>> first, Promise<T> promise) {
    try {
        auto value = co_await combined(std::move(promise));
        if (!first->is_settled()) first->fulfil(Result(std::in_place_index<index>, std::move(value)));
    } catch (...) {
        if (!first->is_settled()) first->reject(std::current_exception());
    }
}

template <class T>
Promise<void> run_in_race_of(std::shared_ptr<PromiseSource<std::pair<std::size_t, Combined<T>>>> first,
                             std::size_t index, Promise<T> promise) {
    try {
        auto value = co_await combined(std::move(promise));
        if (!first->is_settled()) first->fulfil(std::pair(index, std::move(value)));
    } catch (...) {
        if (!first->is_settled()) first->reject(std::current_exception());
    }
}

}  // namespace detail

template <class... Ts>
    requires(sizeof...(Ts) > 0)
Promise<std::variant<Combined<Ts>...>> race(Promise<Ts>... promises) {
    using Result = std::variant<Combined<Ts>...>;
    auto [promise, source] = make_promise<Result>();
    auto state = std::make_shared<PromiseSource<Result>>(std::move(source));
    const Promise<Result>& whole = promise;
    [&]<std::size_t... indices>(std::index_sequence<indices...>) {
        (detail::tell_of_part(detail::run_in_race<indices>(state, std::move(promises)), whole), ...);
    }
    (std::index_sequence_for<Ts...>());
    promise.unref();  // the promises that it waits for hold the loop, or do not
    return std::move(promise);
}

template <class T>
Promise<std::pair<std::size_t, Combined<T>>> race(std::vector<Promise<T>> promises) {
    using Result = std::pair<std::size_t, Combined<T>>;
    if (promises.empty()) throw std::invalid_argument("futon::race: there is no promise to wait for");
    auto [promise, source] = make_promise<Result>();
    auto state = std::make_shared<PromiseSource<Result>>(std::move(source));
    for (std::size_t i = 0; i < promises.size(); ++i)
        detail::tell_of_part(detail::run_in_race_of<T>(state, i, std::move(promises[i])), promise);
    promise.unref();  // the promises that it waits for hold the loop, or do not
    return std::move(promise);
}

}  // namespace futon

#include <futon/detail/end.hpp>
