// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <futon/detail/loop/promise_combined.hpp>
#include <futon/detail/loop/promise_part.hpp>
#include <futon/detail/loop/promise_settled.hpp>
#include <futon/promise.hpp>
#include <futon/promise_combine.hpp>
#include <futon/promise_source.hpp>

// How `all` gathers the values of promises.
namespace futon {

namespace detail {

/// Settles one promise with the values of many, or with the first exception. The coroutines that listen to them share
/// it.
template <class Values, class Result>
struct AllOf {
    explicit AllOf(PromiseSource<Result> its_source, std::size_t count)
        : source(std::move(its_source)), missing(count) {}

    template <class Take>
    void add(Take take_result) {
        if (--missing == 0 && !source.is_settled()) source.fulfil(take_result(values));
    }
    void fail(std::exception_ptr exception) {
        if (!source.is_settled()) source.reject(std::move(exception));
    }

    PromiseSource<Result> source;
    Values values;
    std::size_t missing;
};

template <std::size_t index, class T, class State>
Promise<void> gather(std::shared_ptr<State> state, Promise<T> promise) {
    try {
        std::get<index>(state->values).emplace(co_await combined(std::move(promise)));
        state->add([](auto& values) {
            return std::apply([](auto&... value) { return std::tuple(std::move(*value)...); }, values);
        });
    } catch (...) {
        state->fail(std::current_exception());
    }
}

template <class T, class State>
Promise<void> gather_at(std::shared_ptr<State> state, std::size_t index, Promise<T> promise) {
    try {
        state->values[index].emplace(co_await combined(std::move(promise)));
        state->add([](auto& values) {
            std::vector<Combined<T>> all;
            all.reserve(values.size());
            for (auto& value : values) all.push_back(std::move(*value));
            return all;
        });
    } catch (...) {
        state->fail(std::current_exception());
    }
}

}  // namespace detail

template <class... Ts>
    requires(sizeof...(Ts) > 0)
Promise<std::tuple<Combined<Ts>...>> all(Promise<Ts>... promises) {
    using Result = std::tuple<Combined<Ts>...>;
    using State = detail::AllOf<std::tuple<std::optional<Combined<Ts>>...>, Result>;
    auto [promise, source] = make_promise<Result>();
    auto state = std::make_shared<State>(std::move(source), sizeof...(Ts));
    const Promise<Result>& whole = promise;
    [&]<std::size_t... indices>(std::index_sequence<indices...>) {
        (detail::tell_of_part(detail::gather<indices>(state, std::move(promises)), whole), ...);
    }
    (std::index_sequence_for<Ts...>());
    promise.unref();  // the promises that it waits for hold the loop, or do not
    return std::move(promise);
}

template <class T>
Promise<std::vector<Combined<T>>> all(std::vector<Promise<T>> promises) {
    using Result = std::vector<Combined<T>>;
    if (promises.empty()) return fulfilled(Result());
    using State = detail::AllOf<std::vector<std::optional<Combined<T>>>, Result>;
    auto [promise, source] = make_promise<Result>();
    auto state = std::make_shared<State>(std::move(source), promises.size());
    state->values.resize(promises.size());
    for (std::size_t i = 0; i < promises.size(); ++i)
        detail::tell_of_part(detail::gather_at<T>(state, i, std::move(promises[i])), promise);
    promise.unref();  // the promises that it waits for hold the loop, or do not
    return std::move(promise);
}

}  // namespace futon

#include <futon/detail/end.hpp>
