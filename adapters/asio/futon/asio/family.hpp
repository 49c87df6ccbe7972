// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

#include <futon/asio/async.hpp>
#include <futon/atomics.hpp>
#include <futon/limits.hpp>
#include <futon/select.hpp>
#include <futon/sync/async_lock.hpp>
#include <futon/sync/channel.hpp>
#include <futon/sync/condition.hpp>
#include <futon/word.hpp>

// Short forms of `async`, whose documentation applies to each. All take a time before the token.
namespace futon::asio {

/// Waits until `word` is notified, if it holds `expected`. Yields a WaitResult: `not_equal` at once if it holds another
/// value.
template <WaitWord W, class Token>
auto async_wait(W&& word, WordValue<W> expected, Token&& token) {
    return async(waiting(word, expected), std::forward<Token>(token));
}
template <WaitWord W, class Token>
auto async_wait(W&& word, WordValue<W> expected, futon::detail::TimeOfLimits auto time, Token&& token) {
    return async(waiting(word, expected), time, std::forward<Token>(token));
}

/// Locks. Yields an `AsyncLock::Guard`, which owns the lock unless the wait was cancelled or the time is over.
template <class Token>
auto async_lock(AsyncLock& lock, Token&& token) {
    return async(lock.locking(), std::forward<Token>(token));
}
template <class Token>
auto async_lock(AsyncLock& lock, futon::detail::TimeOfLimits auto time, Token&& token) {
    return async(lock.locking(), time, std::forward<Token>(token));
}

/// Sends. Yields a `SendResult<T>`, which holds the item if it was not sent.
template <class T, class Token>
auto async_send(Channel<T>& channel, std::type_identity_t<T> item, Token&& token) {
    return async(channel.sending(std::move(item)), std::forward<Token>(token));
}
template <class T, class Token>
auto async_send(Channel<T>& channel, std::type_identity_t<T> item, futon::detail::TimeOfLimits auto time,
                Token&& token) {
    return async(channel.sending(std::move(item)), time, std::forward<Token>(token));
}

/// Receives. Yields a `Received<T>`. If the context ends before a handler takes the item, the item is given back.
template <class T, class Token>
auto async_receive(Channel<T>& channel, Token&& token) {
    return async(channel.receiving(), std::forward<Token>(token));
}
template <class T, class Token>
auto async_receive(Channel<T>& channel, futon::detail::TimeOfLimits auto time, Token&& token) {
    return async(channel.receiving(), time, std::forward<Token>(token));
}

/// Releases the lock, waits for a notification of the condition, and locks again. Yields a `Wakeup`. It owns the lock
/// even after a cancellation or a timeout, because neither ends the wait for the lock. Neither is an error: the result in
/// the `Wakeup` says `cancelled` or `timed_out`.
template <class Token>
auto async_wait(Condition& condition, AsyncLock::Guard guard, Token&& token) {
    return async(condition.waiting(std::move(guard)), std::forward<Token>(token));
}
template <class Token>
auto async_wait(Condition& condition, AsyncLock::Guard guard, futon::detail::TimeOfLimits auto time, Token&& token) {
    return async(condition.waiting(std::move(guard)), time, std::forward<Token>(token));
}

/// The choices of an `async_select`.
template <core::Selectable... Ts>
std::tuple<Ts...> choices(Ts... given) {
    return std::tuple<Ts...>(std::move(given)...);
}

/// Waits until one of several operations can be done, and does only that one: `select` in Asio.
///
///     auto chosen = co_await futon::asio::async_select(
///         futon::asio::choices(channel.receiving(), lock.locking(), futon::timeout(50ms)), asio::use_awaitable);
///
/// The signature is `void(error_code, std::optional<Variant>)`, with the variant of `select`. The optional is empty if
/// the wait was cancelled.
template <class... Ts, class Token>
auto async_select(std::tuple<Ts...> choices, Token&& token) {
    return std::apply(
        [&](Ts&... choice) { return detail::initiate_select(detail::NoPlace(), token, std::move(choice)...); },
        choices);
}
template <detail::Place P, class... Ts, class Token>
auto async_select(P&& place, std::tuple<Ts...> choices, Token&& token) {
    auto executor = detail::executor_of(place);
    return std::apply([&](Ts&... choice) { return detail::initiate_select(executor, token, std::move(choice)...); },
                      choices);
}

namespace detail {

/// A primitive whose operation to wait or to lock has no short form here.
template <class T>
concept WaitedFor = requires(T& primitive) {
    primitive.waiting();
};
template <class T>
concept LockedOtherwise = requires(T& lock) {
    lock.locking();
}
&&!std::convertible_to<T&, AsyncLock&>;

}  // namespace detail

// Near misses: of these functions only `async_select` takes a context, and all take a time, but no stop.
// clang-format off
template <detail::Place P>
void async_wait(P&&, auto&&...) = delete;  // futon: it takes no context: write async(context, waiting(word, expected), token), condition.waiting(std::move(guard))
template <detail::Place P>
void async_lock(P&&, auto&&...) = delete;  // futon: it takes no context: write async(context, lock.locking(), token)
template <detail::Place P>
void async_send(P&&, auto&&...) = delete;  // futon: it takes no context: write async(context, channel.sending(item), token)
template <detail::Place P>
void async_receive(P&&, auto&&...) = delete;  // futon: it takes no context: write async(context, channel.receiving(), token)

template <WaitWord W>
void async_wait(W&&, WordValue<W>, Limits, auto&&) = delete;  // futon: Asio has stops of its own: give a time or a Deadline, and bind_cancellation_slot to the token
void async_wait(Condition&, AsyncLock::Guard, Limits, auto&&) = delete;  // futon: Asio has stops of its own: give a time or a Deadline, and bind_cancellation_slot to the token
void async_lock(AsyncLock&, Limits, auto&&) = delete;  // futon: Asio has stops of its own: give a time or a Deadline, and bind_cancellation_slot to the token
template <class T>
void async_send(Channel<T>&, std::type_identity_t<T>, Limits, auto&&) = delete;  // futon: Asio has stops of its own: give a time or a Deadline, and bind_cancellation_slot to the token
template <class T>
void async_receive(Channel<T>&, Limits, auto&&) = delete;  // futon: Asio has stops of its own: give a time or a Deadline, and bind_cancellation_slot to the token

template <detail::WaitedFor T>
void async_wait(T&, auto&&...) = delete;  // futon: it takes a word or a condition: write async(event.waiting(), token)
template <detail::LockedOtherwise T>
void async_lock(T&, auto&&...) = delete;  // futon: it takes an AsyncLock: write async(lock.locking(), token)

template <class... Ts>
void async_select(std::tuple<Ts...>, Limits, auto&&) = delete;  // futon: a time limit is a choice: write choices(channel.receiving(), futon::timeout(5ms)); a stop is Asio's bind_cancellation_slot
template <detail::Place P, class... Ts>
void async_select(P&&, std::tuple<Ts...>, Limits, auto&&) = delete;  // futon: a time limit is a choice: write choices(channel.receiving(), futon::timeout(5ms)); a stop is Asio's bind_cancellation_slot
// clang-format on

}  // namespace futon::asio

#include <futon/detail/end.hpp>
