// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <type_traits>

#include <futon/change_and_notify.hpp>
#include <futon/detail/atomics/atomics_misuse.hpp>

// Calls that change and notify and are almost right: each is told in one sentence what to write.
namespace futon {

namespace detail {

template <class W>
consteval void explain_value() {
    static_assert(!sizeof(W*),
                  "futon: the value may change when it is converted to the word's type; give one of that type");
}

template <class W>
consteval void explain_integer() {
    static_assert(!sizeof(W*),
                  "futon: this takes a word of integers, no bool and no pointer; change such a word "
                  "by its own functions, then call futon::notify");
}

/// Whether one of the values that a change is given would be held as something else.
template <class W, class... Values>
concept LosesAValue = (LosesItsValue<Values, WordValue<W>> || ...);

}  // namespace detail

template <detail::AlmostWord W>
void store_and_notify(W&&, const auto&...) {
    detail::explain_word<W>();
}
template <detail::AlmostWord W>
void exchange_and_notify(W&&, const auto&...) {
    detail::explain_word<W>();
}
template <detail::AlmostWord W>
void compare_exchange_and_notify(W&&, const auto&...) {
    detail::explain_word<W>();
}
template <detail::AlmostWord W>
void fetch_add_and_notify(W&&, const auto&...) {
    detail::explain_word<W>();
}
template <detail::AlmostWord W>
void fetch_sub_and_notify(W&&, const auto&...) {
    detail::explain_word<W>();
}
template <detail::AlmostWord W>
void fetch_and_and_notify(W&&, const auto&...) {
    detail::explain_word<W>();
}
template <detail::AlmostWord W>
void fetch_or_and_notify(W&&, const auto&...) {
    detail::explain_word<W>();
}
template <detail::AlmostWord W>
void fetch_xor_and_notify(W&&, const auto&...) {
    detail::explain_word<W>();
}

template <WaitWord W, class Value>
    requires detail::LosesAValue<W, Value>
void store_and_notify(W&&, Value, NotifyCount = everyone) {
    detail::explain_value<std::remove_reference_t<W>>();
}
template <WaitWord W, class Value>
    requires detail::LosesAValue<W, Value>
void exchange_and_notify(W&&, Value, NotifyCount = everyone) {
    detail::explain_value<std::remove_reference_t<W>>();
}
template <WaitWord W, class Expected, class Desired>
    requires detail::LosesAValue<W, Expected, Desired>
void compare_exchange_and_notify(W&&, Expected, Desired, NotifyCount = everyone) {
    detail::explain_value<std::remove_reference_t<W>>();
}
template <WaitWord W, class Value>
    requires WaitInteger<WordValue<W>> && detail::LosesAValue<W, Value>
void fetch_add_and_notify(W&&, Value, NotifyCount = everyone) {
    detail::explain_value<std::remove_reference_t<W>>();
}
template <WaitWord W, class Value>
    requires WaitInteger<WordValue<W>> && detail::LosesAValue<W, Value>
void fetch_sub_and_notify(W&&, Value, NotifyCount = everyone) {
    detail::explain_value<std::remove_reference_t<W>>();
}
template <WaitWord W, class Value>
    requires WaitInteger<WordValue<W>> && detail::LosesAValue<W, Value>
void fetch_and_and_notify(W&&, Value, NotifyCount = everyone) {
    detail::explain_value<std::remove_reference_t<W>>();
}
template <WaitWord W, class Value>
    requires WaitInteger<WordValue<W>> && detail::LosesAValue<W, Value>
void fetch_or_and_notify(W&&, Value, NotifyCount = everyone) {
    detail::explain_value<std::remove_reference_t<W>>();
}
template <WaitWord W, class Value>
    requires WaitInteger<WordValue<W>> && detail::LosesAValue<W, Value>
void fetch_xor_and_notify(W&&, Value, NotifyCount = everyone) {
    detail::explain_value<std::remove_reference_t<W>>();
}

template <WaitWord W>
    requires(!WaitInteger<WordValue<W>>)
void fetch_add_and_notify(W&&, const auto&...) {
    detail::explain_integer<std::remove_reference_t<W>>();
}
template <WaitWord W>
    requires(!WaitInteger<WordValue<W>>)
void fetch_sub_and_notify(W&&, const auto&...) {
    detail::explain_integer<std::remove_reference_t<W>>();
}
template <WaitWord W>
    requires(!WaitInteger<WordValue<W>>)
void fetch_and_and_notify(W&&, const auto&...) {
    detail::explain_integer<std::remove_reference_t<W>>();
}
template <WaitWord W>
    requires(!WaitInteger<WordValue<W>>)
void fetch_or_and_notify(W&&, const auto&...) {
    detail::explain_integer<std::remove_reference_t<W>>();
}
template <WaitWord W>
    requires(!WaitInteger<WordValue<W>>)
void fetch_xor_and_notify(W&&, const auto&...) {
    detail::explain_integer<std::remove_reference_t<W>>();
}

}  // namespace futon

#include <futon/detail/end.hpp>
