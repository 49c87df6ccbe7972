// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

#include <futon/core/driver/choice.hpp>

// Calls of `select`, `select_async` and `choice_if` that are almost right. They are deleted, so that they can be asked about; compilers
// quote the row with the name, and so what it says.
namespace futon {

struct InOrder;

namespace detail {

/// What a choice is called with: a value that is given away, or one that can be copied.
template <class T>
concept Choosable = core::Selectable<std::remove_cvref_t<T>> && std::constructible_from<std::remove_cvref_t<T>, T>;

enum class Mistake { none, awaitable, operation_kept, other };

template <class T>
inline constexpr Mistake mistake = [] {
    using Value = std::remove_cvref_t<T>;
    if constexpr (Choosable<T> || std::same_as<Value, InOrder>) {
        return Mistake::none;
    } else if constexpr (core::Selectable<Value>) {
        return Mistake::operation_kept;
    } else if constexpr (requires(Value & value) { value.await_ready(); }) {
        return Mistake::awaitable;
    } else {
        return Mistake::other;
    }
}();

/// Whether the first mistake of a call is this one.
template <Mistake which, class... Ts>
concept Mistaken = which != Mistake::none&& [] {
    Mistake first = Mistake::none;
    ((first = first == Mistake::none ? mistake<Ts> : first), ...);
    return first == which;
}();

/// What `choice_if` takes.
template <class T>
concept ChosenIf =
    core::is_optional_choice<std::optional<T>> || std::same_as<T, Timeout> || std::same_as<T, StopRequested>;

}  // namespace detail

/// What is found by its name, `futon::select`, and never by its arguments: a program may have a `select` of its own for channels.
namespace found_by_name {

// clang-format off
template <class... Ts>
    requires detail::Mistaken<detail::Mistake::awaitable, Ts...>
void select(Ts&&...) = delete;  // futon: a choice is an operation: write event.waiting(), not event.wait_async()
template <class... Ts>
    requires detail::Mistaken<detail::Mistake::operation_kept, Ts...>
void select(Ts&&...) = delete;  // futon: an operation is used once: make it in the call, or write std::move(operation)
template <class... Ts>
    requires detail::Mistaken<detail::Mistake::other, Ts...>
void select(Ts&&...) = delete;  // futon: a choice is event.waiting(), lock.locking(), ..., timeout(5ms), stop_requested(token)

template <class... Ts>
    requires detail::Mistaken<detail::Mistake::awaitable, Ts...>
void select_async(Ts&&...) = delete;  // futon: a choice is an operation: write event.waiting(), not event.wait_async()
template <class... Ts>
    requires detail::Mistaken<detail::Mistake::operation_kept, Ts...>
void select_async(Ts&&...) = delete;  // futon: an operation is used once: make it in the call, or write std::move(operation)
template <class... Ts>
    requires detail::Mistaken<detail::Mistake::other, Ts...>
void select_async(Ts&&...) = delete;  // futon: a choice is event.waiting(), ..., settled(promise), timeout(5ms)
// clang-format on

}  // namespace found_by_name

// clang-format off
template <class T>
    requires(!detail::ChosenIf<std::remove_cvref_t<T>>)
void choice_if(bool, T&&) = delete;  // futon: a choice is channel.receiving(), lock.locking(), ..., timeout(5ms), stop_requested(token)
// clang-format on

using namespace found_by_name;

}  // namespace futon

#include <futon/detail/end.hpp>
