// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

#include <futon/asio/machines.hpp>
#include <futon/asio/namespace.hpp>
#include <futon/asio/wait.hpp>
#include <futon/core/operation.hpp>
#include <futon/deadline.hpp>
#include <futon/time_limit.hpp>

namespace futon::asio {

namespace detail {

/// The signature of a completion: `result` says all that it says elsewhere, and the error is `operation_aborted` once the
/// wait was cancelled.
template <class Result>
using Signature = void(error_code, Result);

/// A completion that waits for nothing but its turn. Its memory is of the handler's allocator.
template <class Result, class Handler>
class Done {
public:
    using allocator_type = typename net::associated_allocator<Handler>::type;

    Done(Handler&& handler, Result&& result) : handler_(std::move(handler)), result_(std::move(result)) {}

    allocator_type get_allocator() const noexcept { return net::get_associated_allocator(handler_); }
    void operator()() { std::move(handler_)(error_code(), std::move(result_)); }

private:
    Handler handler_;
    Result result_;
};

/// Posts what was done at once: through the handler's immediate executor, where there are such.
template <class Result, class Handler, class Executor>
void complete_at_once(Handler&& handler, const Executor& executor, Result&& result) {
#if FUTON_ASIO_VERSION >= 102700
    const auto immediate = net::get_associated_immediate_executor(handler, executor);
    net::dispatch(immediate, Done<Result, Handler>(std::move(handler), std::move(result)));
#else
    net::post(executor, Done<Result, Handler>(std::move(handler), std::move(result)));
#endif
}

/// Whether a result that no handler takes undoes what was done, or there is nothing to undo. Other operations stay in their
/// place until the handler runs, for they may have to give something back.
template <class Op>
inline constexpr bool may_part_from_operation = core::wake_is_final<Op> || requires(const typename Op::Result& result) {
    result.owns_lock();
};

/// In the place of an executor, where none was given: the handler must have one.
struct NoPlace {};

/// Whether a handler names the executor that is to run it.
template <class Handler>
inline constexpr bool names_executor = requires {
    typename Handler::executor_type;
}
|| !std::is_same_v<typename net::associated_executor<Handler, net::system_executor>::type, net::system_executor>;

/// The executor of a handler.
template <class Handler, class Io>
auto executor_for(const Handler& handler, const Io& io) {
    if constexpr (std::is_same_v<Io, NoPlace>) {
        static_assert(
            names_executor<Handler>,
            "futon::asio: no executor is named that is to run this handler. Write async(context, op, handler), "
            "async_select(context, choices, handler), or asio::bind_executor(context, handler)");
        return net::get_associated_executor(handler);
    } else {
        return net::get_associated_executor(handler, io);
    }
}

template <class Io>
struct InitiateOperation {
    Io io;

    template <class Handler, core::Operation Op>
    void operator()(Handler&& given, Op op, Deadline deadline) const {
        using Owned = std::decay_t<Handler>;
        core::require_unused(op);
        const auto executor = executor_for<Owned>(given, io);
        using Executor = std::remove_const_t<decltype(executor)>;
        Owned handler(std::forward<Handler>(given));
        constexpr bool is_tried_here = may_part_from_operation<Op>;
        if constexpr (is_tried_here) {
            if (const auto ended = core::attempt<core::Caller::task>(op, deadline, stop_if(false)))
                return complete_at_once(std::move(handler), executor, op.result(*ended));
        }
        Wait<OperationMachine<Op>, Owned, Executor>::start(handler, executor, std::move(op), deadline, is_tried_here);
    }
};

template <class Io>
struct InitiateSelect {
    Io io;

    template <class Handler, class... Ts>
    void operator()(Handler&& given, core::Preference preference, Ts... choices) const {
        using Owned = std::decay_t<Handler>;
        const auto executor = executor_for<Owned>(given, io);
        using Executor = std::remove_const_t<decltype(executor)>;
        Owned handler(std::forward<Handler>(given));
        Wait<SelectMachine<Ts...>, Owned, Executor>::start(handler, executor, preference, std::move(choices)...);
    }
};

/// An executor, or a context that has one.
template <class T>
concept Context = std::derived_from<std::remove_cvref_t<T>, net::execution_context> && requires(T& context) {
    context.get_executor();
};
template <class T>
concept Executor = net::execution::is_executor<T>::value || net::is_executor<T>::value;

template <class T>
concept Place = Context<T> || Executor<std::remove_cvref_t<T>>;

template <Place T>
auto executor_of(T& place) {
    if constexpr (Context<T>) {
        return place.get_executor();
    } else {
        return place;
    }
}

/// Whether a token is a function object that cannot be called with an operation's result. Other tokens make a handler, which
/// can, or have a call operator that is a template.
template <class Token, class Result>
inline constexpr bool is_wrong_handler = requires {
    &Token::operator();
}
&&!std::is_invocable_v<Token, error_code, Result>;

/// Asio's own sentences about a wrong handler fill a screen.
template <class Token, class Result>
consteval bool takes_result() {
    constexpr bool takes = !is_wrong_handler<std::decay_t<Token>, Result>;
    static_assert(takes,
                  "futon::asio: a handler must take an error_code, and what the operation yields: lock.locking() "
                  "an AsyncLock::Guard, event.waiting() a WaitResult, channel.receiving() a Received<T>, a select "
                  "an optional of its variant");
    return takes;
}

template <class Io, core::Operation Op, class Token>
auto initiate(Io io, Op op, Deadline deadline, Token&& token) {
    using Result = typename Op::Result;
    if constexpr (takes_result<Token, Result>())
        return net::async_initiate<Token, Signature<Result>>(InitiateOperation<Io>{std::move(io)}, token, std::move(op),
                                                             deadline);
}

template <class Io, class Token, class... Ts>
auto initiate_select(Io io, Token& token, Ts&&... choices) {
    using Result = typename SelectMachine<Ts...>::Result;
    if constexpr (takes_result<Token, Result>())
        return net::async_initiate<Token, Signature<Result>>(InitiateSelect<Io>{std::move(io)}, token,
                                                             core::Preference::none, std::move(choices)...);
}

}  // namespace detail

/// Does any operation of the library in Asio: now or later, for any completion token.
///
///     futon::asio::async(lock.locking(), [](futon::asio::error_code error, futon::AsyncLock::Guard guard) { … });
///     auto received = co_await futon::asio::async(channel.receiving(), 10ms, asio::use_awaitable);
///
/// The signature is `void(error_code, Result)`. What the operation yields says how it ended, as everywhere in the library: a
/// deadline that came first is no error, but `timed_out` in the result. The error is `operation_aborted` if the wait was
/// cancelled. An exception of `op.result` leaves from where the handler would run.
///
/// Executor  the handler's associated one, else that of `place`. A handler with neither, as a plain callback, does not compile:
///           Asio would run it on a thread of its own. It counts the wait as work until the handler has returned
/// Settles   on that executor, never inside this call: what is done at once goes through the handler's immediate executor,
///           where Asio has such (1.27), else through a post
/// Cancel    terminal, partial and total alike end the wait. What the operation had got by then it keeps: then it is a
///           success. A signal is emitted where the handler runs, or in its strand, as for all of Asio. The end of the context:
///           the handler is destroyed, and what the operation had got is given back
/// Threads   any; no agent is needed. The executor may have several threads
/// Lifetime  the primitive, until the handler runs or is destroyed
/// Throws    std::logic_error if the operation was used before; what the allocator, the timer, the cancellation slot and the
///           executor throw, a std::bad_alloc say. No waiter is queued then, what was done at once is given back, and the
///           handler is destroyed. An item that was sent at once stays sent where the executor's `post` throws. While the wait
///           is pending `post` does not throw: that ends the program. A context's does not, and needs no memory; a strand's
///           needs some
/// Cost      one block of the handler's allocator if it waits, and the post of a wake-up has room in that; a timer, if there is
///           a deadline
template <core::Operation Op, class Token>
auto async(Op op, Token&& token) {
    return detail::initiate(detail::NoPlace(), std::move(op), Deadline::never(), std::forward<Token>(token));
}
template <core::Operation Op, class Token>
auto async(Op op, TimeLimit limit, Token&& token) {
    return detail::initiate(detail::NoPlace(), std::move(op), limit.deadline(), std::forward<Token>(token));
}
template <detail::Place P, core::Operation Op, class Token>
auto async(P&& place, Op op, Token&& token) {
    return detail::initiate(detail::executor_of(place), std::move(op), Deadline::never(), std::forward<Token>(token));
}
template <detail::Place P, core::Operation Op, class Token>
auto async(P&& place, Op op, TimeLimit limit, Token&& token) {
    return detail::initiate(detail::executor_of(place), std::move(op), limit.deadline(), std::forward<Token>(token));
}

}  // namespace futon::asio

#include <futon/detail/end.hpp>
