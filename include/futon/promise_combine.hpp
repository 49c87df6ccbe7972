// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <futon/promise.hpp>

namespace futon {

/// Makes a promise that is fulfilled already. Use it in a function that returns a promise but knows the value at once.
///
///     if (auto page = cache.find(url)) return futon::fulfilled(*page);
///
/// Throws  std::bad_alloc, and what copying the value throws
/// Spec    Promise.resolve, for a value that is not a promise.
template <class T>
[[nodiscard]] Promise<std::decay_t<T>> fulfilled(T&& value);
[[nodiscard]] inline Promise<void> fulfilled();

/// Makes a promise that is rejected already. As with any other, the exception is reported if nothing listens.
///
///     if (url.empty()) return futon::rejected<Page>(std::make_exception_ptr(std::invalid_argument("no address")));
///
/// Throws  std::invalid_argument if `exception` is null; std::bad_alloc
/// Spec    Promise.reject.
template <class T>
[[nodiscard]] Promise<T> rejected(std::exception_ptr exception);

/// The value of a Promise<T> among other values: T, or std::monostate for void.
template <class T>
using Combined = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

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
[[nodiscard]] Promise<std::tuple<Combined<Ts>...>> all(Promise<Ts>... promises);

/// The same for any number of promises of one type. With none, the result is fulfilled at once.
template <class T>
[[nodiscard]] Promise<std::vector<Combined<T>>> all(std::vector<Promise<T>> promises);

/// Waits for the first of several promises: returns a promise of a variant, whose index says which. The others go on,
/// and their outcomes are dropped. To wait for the first of several operations and withdraw the others, use `select`.
///
/// Throws  NoExecutor; std::bad_alloc, as `all`
/// Spec    Promise.race.
template <class... Ts>
    requires(sizeof...(Ts) > 0)
[[nodiscard]] Promise<std::variant<Combined<Ts>...>> race(Promise<Ts>... promises);

/// The same for any number of promises of one type: returns a promise of the index and the value.
///
/// Throws  std::invalid_argument if there are no promises: the result would never settle
template <class T>
[[nodiscard]] Promise<std::pair<std::size_t, Combined<T>>> race(std::vector<Promise<T>> promises);

}  // namespace futon

#include <futon/detail/loop/promise_all.hpp>
#include <futon/detail/loop/promise_race.hpp>
#include <futon/detail/loop/promise_settled.hpp>  // how they are made

#include <futon/detail/end.hpp>
