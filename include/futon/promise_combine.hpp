// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <futon/promise.hpp>
#include <futon/promise_source.hpp>

namespace futon {

/// A promise that is fulfilled already.
///
/// Throws  std::bad_alloc, and what copying the value throws
/// Spec    Promise.resolve, of a value that is no promise.
template <class T>
[[nodiscard]] Promise<std::decay_t<T>> fulfilled(T&& value) {
    auto& state = *new detail::PromiseState<std::decay_t<T>>;
    Promise<std::decay_t<T>> promise = detail::PromiseAccess::handle_of<std::decay_t<T>>(state);
    state.fulfil(std::forward<T>(value));
    return promise;
}
[[nodiscard]] inline Promise<void> fulfilled() {
    auto& state = *new detail::PromiseState<void>;
    Promise<void> promise = detail::PromiseAccess::handle_of<void>(state);
    state.fulfil();
    return promise;
}

/// A promise of a T that is rejected already. As with any other, the exception is reported if nothing listens.
///
/// Throws  std::invalid_argument if `exception` is null; std::bad_alloc
/// Spec    Promise.reject.
template <class T>
[[nodiscard]] Promise<T> rejected(std::exception_ptr exception) {
    if (exception == nullptr) detail::throw_null_exception();
    auto& state = *new detail::PromiseState<T>;
    Promise<T> promise = detail::PromiseAccess::handle_of<T>(state);
    state.reject(std::move(exception));
    return promise;
}

namespace detail {

/// What stands for the value of a Promise<T> beside others: std::monostate for void.
template <class T>
using Combined = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

template <class T>
Promise<Combined<T>> combined(Promise<T> promise) {
    if constexpr (std::is_void_v<T>) {
        co_await std::move(promise);
        co_return std::monostate();
    } else {
        co_return co_await std::move(promise);
    }
}

/// Settles one promise with the values of many, or with the first exception; shared by the coroutines that listen to them.
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

/// A promise of all the values, in order; `void` counts as std::monostate.
///
/// Settles  once all have, or with the first exception; exceptions that come after it are dropped. Those still pending then
///          go on. The result itself holds no event loop: what it waits for does.
/// Throws   NoExecutor; std::bad_alloc: then those still pending go on, and what they settle with is dropped. The result is
///          rejected with a std::bad_alloc if it needs memory later, and there is none
/// Cost     some allocations for each
/// Spec     Promise.all.
template <class... Ts>
    requires(sizeof...(Ts) > 0)
[[nodiscard]] Promise<std::tuple<detail::Combined<Ts>...>> all(Promise<Ts>... promises) {
    using Result = std::tuple<detail::Combined<Ts>...>;
    using State = detail::AllOf<std::tuple<std::optional<detail::Combined<Ts>>...>, Result>;
    auto [promise, source] = make_promise<Result>();
    auto state = std::make_shared<State>(std::move(source), sizeof...(Ts));
    [&]<std::size_t... indices>(std::index_sequence<indices...>) {
        (static_cast<void>(detail::gather<indices>(state, std::move(promises))), ...);
    }
    (std::index_sequence_for<Ts...>());
    promise.unref();  // what it waits for holds the loop, or does not
    return std::move(promise);
}

/// The same for any number of one type. No promise at all is fulfilled at once.
template <class T>
[[nodiscard]] Promise<std::vector<detail::Combined<T>>> all(std::vector<Promise<T>> promises) {
    using Result = std::vector<detail::Combined<T>>;
    if (promises.empty()) return fulfilled(Result());
    using State = detail::AllOf<std::vector<std::optional<detail::Combined<T>>>, Result>;
    auto [promise, source] = make_promise<Result>();
    auto state = std::make_shared<State>(std::move(source), promises.size());
    state->values.resize(promises.size());
    for (std::size_t i = 0; i < promises.size(); ++i)
        static_cast<void>(detail::gather_at<T>(state, i, std::move(promises[i])));
    promise.unref();  // what it waits for holds the loop, or does not
    return std::move(promise);
}

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

/// A promise of what the first of these settles with: a variant whose index says which. The others go on, and what they settle
/// with is dropped. To wait for the first of several operations, of which the others are taken back, there is `select`.
///
/// Throws   NoExecutor; std::bad_alloc, as `all`
/// Spec     Promise.race.
template <class... Ts>
    requires(sizeof...(Ts) > 0)
[[nodiscard]] Promise<std::variant<detail::Combined<Ts>...>> race(Promise<Ts>... promises) {
    using Result = std::variant<detail::Combined<Ts>...>;
    auto [promise, source] = make_promise<Result>();
    auto state = std::make_shared<PromiseSource<Result>>(std::move(source));
    [&]<std::size_t... indices>(std::index_sequence<indices...>) {
        (static_cast<void>(detail::run_in_race<indices>(state, std::move(promises))), ...);
    }
    (std::index_sequence_for<Ts...>());
    promise.unref();  // what it waits for holds the loop, or does not
    return std::move(promise);
}

/// The same for any number of one type: a promise of the index and the value.
///
/// Throws   std::invalid_argument if there is none: that promise would never settle
template <class T>
[[nodiscard]] Promise<std::pair<std::size_t, detail::Combined<T>>> race(std::vector<Promise<T>> promises) {
    using Result = std::pair<std::size_t, detail::Combined<T>>;
    if (promises.empty()) throw std::invalid_argument("futon::race: there is no promise to wait for");
    auto [promise, source] = make_promise<Result>();
    auto state = std::make_shared<PromiseSource<Result>>(std::move(source));
    for (std::size_t i = 0; i < promises.size(); ++i)
        static_cast<void>(detail::run_in_race_of<T>(state, i, std::move(promises[i])));
    promise.unref();  // what it waits for holds the loop, or does not
    return std::move(promise);
}

}  // namespace futon

#include <futon/detail/end.hpp>
