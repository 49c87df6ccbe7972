// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <atomic>
#include <concepts>
#include <type_traits>

#include <futon/core/atomic.hpp>
#include <futon/detail/notify_count.hpp>
#include <futon/word.hpp>

// Calls of `wait`, `wait_async`, `waiting` and `notify` that are almost right: each is told in one sentence what to write.
namespace futon {

namespace detail {

/// An argument that a word of T would hold as something else: 1.5 of an integer, 7 of a bool.
template <class U, class T>
concept LosesItsValue = !std::same_as<U, T> && (std::floating_point<U> || (std::same_as<T, bool> && std::integral<U>));

template <class A>
inline constexpr bool is_const_atomic = false;
template <class T>
inline constexpr bool is_const_atomic<const std::atomic<T>> = true;
template <class A>
concept ConstAtomic = is_const_atomic<A>;

template <class T>
consteval void explain_count() {
    static_assert(!sizeof(T), "futon: notify counts waiters by an integer");
}

template <class T>
consteval void explain_expected() {
    static_assert(
        !sizeof(T),
        "futon: the expected value may change when it is converted to the word's type; give one of that type");
}

template <class T>
consteval void explain_const() {
    static_assert(!sizeof(T),
                  "futon: a word that is waited on is not const: notify must find it by a reference to non-const");
}

template <class T>
consteval void explain_plain() {
    static_assert(!sizeof(T),
                  "futon: a plain variable is waited on through a view of it: write futon::Word(variable), or "
                  "futon::Word(*pointer)");
}

template <class T>
consteval void explain_atomic_ref() {
    static_assert(!sizeof(T),
                  "futon: std::atomic_ref does not tell its address: write futon::Word(variable) in its place");
}

template <class T>
consteval void explain_wait_value() {
    static_assert(WaitValue<T>,
                  "futon: a word that is waited on has 1, 2, 4 or 8 bytes, and all of them belong to its value: no "
                  "floating point, no padding; and a struct is aligned to its size");
}

}  // namespace detail

template <WaitValue T, detail::LosesItsValue<T> U>
void wait(Word<T>, U, const auto&...) {
    detail::explain_expected<T>();
}

template <WaitValue T, detail::LosesItsValue<T> U>
void wait(core::Atomic<T>&, U, const auto&...) {
    detail::explain_expected<T>();
}

template <WaitValue T, detail::LosesItsValue<T> U>
void wait_async(Word<T>, U, const auto&...) {
    detail::explain_expected<T>();
}

template <WaitValue T, detail::LosesItsValue<T> U>
void wait_async(core::Atomic<T>&, U, const auto&...) {
    detail::explain_expected<T>();
}

template <WaitValue T, detail::LosesItsValue<T> U>
void waiting(Word<T>, U, const auto&...) {
    detail::explain_expected<T>();
}

template <WaitValue T, detail::LosesItsValue<T> U>
void waiting(core::Atomic<T>&, U, const auto&...) {
    detail::explain_expected<T>();
}

template <class T>
    requires(!WaitValue<T>)
void wait(std::atomic<T>&, const auto&...) {
    detail::explain_wait_value<T>();
}

template <detail::ConstAtomic A>
void wait(A&, const auto&...) {
    detail::explain_const<A>();
}

template <class T>
void wait(const std::atomic_ref<T>&, const auto&...) {
    detail::explain_atomic_ref<T>();
}

template <class T>
    requires(std::is_scalar_v<T>)
void wait(const T&, const auto&, const auto&...) {
    detail::explain_plain<T>();
}

template <class T>
    requires(!WaitValue<T>)
void wait_async(std::atomic<T>&, const auto&...) {
    detail::explain_wait_value<T>();
}

template <detail::ConstAtomic A>
void wait_async(A&, const auto&...) {
    detail::explain_const<A>();
}

template <class T>
void wait_async(const std::atomic_ref<T>&, const auto&...) {
    detail::explain_atomic_ref<T>();
}

template <class T>
    requires(std::is_scalar_v<T>)
void wait_async(const T&, const auto&, const auto&...) {
    detail::explain_plain<T>();
}

template <class T>
    requires(!WaitValue<T>)
void waiting(std::atomic<T>&, const auto&...) {
    detail::explain_wait_value<T>();
}

template <detail::ConstAtomic A>
void waiting(A&, const auto&...) {
    detail::explain_const<A>();
}

template <class T>
void waiting(const std::atomic_ref<T>&, const auto&...) {
    detail::explain_atomic_ref<T>();
}

template <class T>
    requires(std::is_scalar_v<T>)
void waiting(const T&, const auto&, const auto&...) {
    detail::explain_plain<T>();
}

template <WaitValue T, class U>
    requires(std::is_arithmetic_v<U> && !detail::CountingInteger<U>)
void notify(Word<T>, U) {
    detail::explain_count<T>();
}

template <WaitValue T, class U>
    requires(std::is_arithmetic_v<U> && !detail::CountingInteger<U>)
void notify(core::Atomic<T>&, U) {
    detail::explain_count<T>();
}

template <class T>
    requires(!WaitValue<T>)
void notify(std::atomic<T>&, const auto&...) {
    detail::explain_wait_value<T>();
}

template <detail::ConstAtomic A>
void notify(A&, const auto&...) {
    detail::explain_const<A>();
}

template <class T>
void notify(const std::atomic_ref<T>&, const auto&...) {
    detail::explain_atomic_ref<T>();
}

template <class T>
    requires(std::is_scalar_v<T>)
void notify(const T&) {
    detail::explain_plain<T>();
}

template <class T>
    requires(std::is_scalar_v<T>)
void notify(const T&, detail::NotifyCount) {
    detail::explain_plain<T>();
}

}  // namespace futon

#include <futon/detail/end.hpp>
