// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <exception>
#include <type_traits>
#include <utility>

#include <futon/asio/async.hpp>
#include <futon/asio/namespace.hpp>
#include <futon/promise.hpp>

namespace futon::asio {

namespace detail {

/// The handler, posted to its executor with the promise's outcome. Counts as work of the executor until then.
template <class Handler, class Executor>
class Forward {
public:
    Forward(Handler&& handler, const Executor& executor) : handler_(std::move(handler)), work_(executor) {}

    template <class... Values>
    void operator()(std::exception_ptr error, Values... values) {
        const Executor executor = work_.get_executor();
        net::post(executor, [handler = std::move(handler_), work = std::move(work_), error = std::move(error),
                             ... taken = std::move(values)]() mutable {
            std::move(handler)(std::move(error), std::move(taken)...);
        });
    }

private:
    Handler handler_;
    net::executor_work_guard<Executor> work_;
};

template <class T, class F>
Promise<void> forward(Promise<T> promise, F forward) {
    std::exception_ptr error;
    if constexpr (std::is_void_v<T>) {
        try {
            co_await std::move(promise);
        } catch (...) {
            error = std::current_exception();
        }
        forward(std::move(error));
    } else {
        T value{};
        try {
            value = co_await std::move(promise);
        } catch (...) {
            error = std::current_exception();
        }
        forward(std::move(error), std::move(value));
    }
}

template <class T>
struct PromiseSignature {
    using Type = void(std::exception_ptr, T);
};
template <>
struct PromiseSignature<void> {
    using Type = void(std::exception_ptr);
};

}  // namespace detail

/// Passes the outcome of a futon promise to Asio. The promise's agent and the context may be on different threads, or
/// on one.
///
///     const int value = co_await futon::asio::async_get(std::move(promise), asio::use_awaitable);
///
/// The signature is `void(std::exception_ptr, T)`, or `void(std::exception_ptr)` for a promise of void. An
/// `asio::awaitable` throws the exception.
///
/// Executor  the handler's associated one. This counts as its work until the handler is posted there. A handler without
///           one, as a plain callback or that of `use_future`, does not compile: `asio::bind_executor` gives it one
/// Threads   call this on the promise's own thread
/// Cancel    if the promise's agent ends, the handler is destroyed
/// Requires  T is default constructible and move assignable
template <class T, class Token>
    requires(std::is_void_v<T> || (std::default_initializable<T> && std::movable<T>))
auto async_get(Promise<T> promise, Token&& token) {
    return net::async_initiate<Token, typename detail::PromiseSignature<T>::Type>(
        [](auto&& handler, Promise<T> taken) {
            using Handler = std::decay_t<decltype(handler)>;
            const auto executor = detail::executor_for<Handler>(handler, detail::NoPlace());
            using Executor = std::remove_const_t<decltype(executor)>;
            static_cast<void>(
                detail::forward(std::move(taken), detail::Forward<Handler, Executor>(std::move(handler), executor)));
        },
        token, std::move(promise));
}

// A near miss. Compilers quote the line that declares a deleted function, and with it the advice.
// clang-format off
template <detail::Place P>
void async_get(P&&, auto&&...) = delete;  // futon: it takes no context: write async_get(std::move(promise), asio::bind_executor(context, token))
// clang-format on

}  // namespace futon::asio

#include <futon/detail/end.hpp>
