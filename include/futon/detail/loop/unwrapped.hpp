// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <type_traits>

namespace futon {

template <class T>
class Promise;

namespace detail {

/// The T of a Promise<T>; any other type unchanged.
template <class T>
struct Unwrapped {
    using Type = std::decay_t<T>;
    static constexpr bool is_promise = false;
};
template <class T>
struct Unwrapped<Promise<T>> {
    using Type = T;
    static constexpr bool is_promise = true;
};

}  // namespace detail

}  // namespace futon

#include <futon/detail/end.hpp>
