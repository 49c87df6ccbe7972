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

/// Makes a promise that is fulfilled already.
///
/// Throws  std::bad_alloc, and what copying the value throws
/// Spec    Promise.resolve, for a value that is not a promise.
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

/// Makes a promise that is rejected already. As with any other, the exception is reported if nothing listens.
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

/// The value of a Promise<T> in a tuple or variant: std::monostate for void.
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

/// Waits for all of several promises: returns a promise of their values, in order. `void` counts as std::monostate.
///
///     auto [name, size] = co_await futon::all(read_name(), read_size());
///
/// Settles  once all promises have, or with the first exception. Later exceptions are dropped, and promises that are
///          still pending go on. The result itself does not keep an event loop running: the promises do.
/// Throws   NoExecutor; std::bad_alloc: the promises go on then, and their outcomes are dropped. If memory runs out
///          later, the result is rejected with std::bad_alloc
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
    promise.unref();  // the promises that it waits for hold the loop, or do not
    return std::move(promise);
}

/// The same for any number of promises of one type. With none, the result is fulfilled at once.
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
    promise.unref();  // the promises that it waits for hold the loop, or do not
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

/// Waits for the first of several promises: returns a promise of a variant, whose index says which. The others go on,
/// and their outcomes are dropped. To wait for the first of several operations and withdraw the others, use `select`.
///
/// Throws  NoExecutor; std::bad_alloc, as `all`
/// Spec    Promise.race.
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
    promise.unref();  // the promises that it waits for hold the loop, or do not
    return std::move(promise);
}

/// The same for any number of promises of one type: returns a promise of the index and the value.
///
/// Throws  std::invalid_argument if there are no promises: the result would never settle
template <class T>
[[nodiscard]] Promise<std::pair<std::size_t, detail::Combined<T>>> race(std::vector<Promise<T>> promises) {
    using Result = std::pair<std::size_t, detail::Combined<T>>;
    if (promises.empty()) throw std::invalid_argument("futon::race: there is no promise to wait for");
    auto [promise, source] = make_promise<Result>();
    auto state = std::make_shared<PromiseSource<Result>>(std::move(source));
    for (std::size_t i = 0; i < promises.size(); ++i)
        static_cast<void>(detail::run_in_race_of<T>(state, i, std::move(promises[i])));
    promise.unref();  // the promises that it waits for hold the loop, or do not
    return std::move(promise);
}

}  // namespace futon

#include <futon/detail/end.hpp>
