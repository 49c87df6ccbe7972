// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <atomic>
#include <concepts>
#include <type_traits>

#include <futon/atomics.hpp>
#include <futon/detail/atomics/notify_count.hpp>
#include <futon/limits.hpp>
#include <futon/word.hpp>

// Calls of `wait`, `wait_async`, `waiting` and `notify` that are almost right: each is told in one sentence what to write.
namespace futon {

namespace detail {

/// An argument that a word of T would hold as something else: 1.5 of an integer, 7 of a bool.
template <class U, class T>
concept LosesItsValue = !std::same_as<U, T> && (std::floating_point<U> || (std::same_as<T, bool> && std::integral<U>));

template <class A>
inline constexpr bool is_atomic = false;
template <class T>
inline constexpr bool is_atomic<std::atomic<T>> = true;

template <class A>
inline constexpr bool is_atomic_ref = false;
template <class T>
inline constexpr bool is_atomic_ref<std::atomic_ref<T>> = true;

/// An argument in the place of a word that is not one, but looks like one.
template <class W>
concept AlmostWord = !WaitWord<W> && (is_atomic<std::remove_cvref_t<W>> || is_atomic_ref<std::remove_cvref_t<W>> ||
                                      std::is_scalar_v<std::remove_cvref_t<W>>);

template <class W>
consteval void explain_word() {
    using Bare = std::remove_cvref_t<W>;
    constexpr bool is_const = std::is_const_v<std::remove_reference_t<W>>;
    static_assert(!std::is_scalar_v<Bare>,
                  "futon: a plain variable is waited on through a view of it: write futon::Word(variable), or "
                  "futon::Word(*pointer)");
    static_assert(!is_atomic_ref<Bare>,
                  "futon: std::atomic_ref does not tell its address: write futon::Word(variable) in its place");
    static_assert(!is_atomic<Bare> || !is_const,
                  "futon: a word that is waited on is not const: notify must find it by a reference to non-const");
    static_assert(!is_atomic<Bare> || is_const,
                  "futon: a word that is waited on has 1, 2, 4 or 8 bytes, and all of them belong to its value: no "
                  "floating point, no padding; and a struct is aligned to its size");
}

template <class W>
consteval void explain_expected() {
    static_assert(
        !sizeof(W*),
        "futon: the expected value may change when it is converted to the word's type; give one of that type");
}

template <class W>
consteval void explain_count() {
    static_assert(!sizeof(W*), "futon: notify counts waiters by an integer");
}

}  // namespace detail

// Compilers quote the line that declares a deleted function, and with it the advice.
// clang-format off
template <WaitWord W>
void wait(W&&, const auto&, const Limits&, const std::stop_token&) = delete;  // futon: limits are one argument: write wait(word, 0, {5ms, stop})
template <WaitWord W>
void wait_async(W&&, const auto&, const Limits&, const std::stop_token&, const auto&...) = delete;  // futon: limits are one argument: write wait_async(word, 0, {5ms, stop})
// clang-format on

template <detail::AlmostWord W>
void wait(W&&, const auto&, const Limits& = {}, const auto&...) {
    detail::explain_word<W>();
}
template <detail::AlmostWord W>
void wait_async(W&&, const auto&, const Limits& = {}, const auto&...) {
    detail::explain_word<W>();
}
template <detail::AlmostWord W>
void waiting(W&&, const auto&) {
    detail::explain_word<W>();
}
template <detail::AlmostWord W>
void notify(W&&, const auto&...) {
    detail::explain_word<W>();
}

template <WaitWord W, detail::LosesItsValue<WordValue<W>> U>
void wait(W&&, U, const Limits& = {}) {
    detail::explain_expected<std::remove_reference_t<W>>();
}
template <WaitWord W, detail::LosesItsValue<WordValue<W>> U>
void wait_async(W&&, U, const Limits& = {}, const auto&...) {
    detail::explain_expected<std::remove_reference_t<W>>();
}
template <WaitWord W, detail::LosesItsValue<WordValue<W>> U>
void waiting(W&&, U) {
    detail::explain_expected<std::remove_reference_t<W>>();
}

template <WaitWord W, class U>
    requires(std::is_arithmetic_v<U> && !detail::CountingInteger<U>)
void notify(W&&, U) {
    detail::explain_count<std::remove_reference_t<W>>();
}

}  // namespace futon

#include <futon/detail/end.hpp>
