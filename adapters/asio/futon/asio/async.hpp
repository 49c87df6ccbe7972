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
#include <futon/core/operation/operation.hpp>
#include <futon/deadline.hpp>
#include <futon/limits.hpp>

namespace futon::asio {

namespace detail {

/// The completion signature. `result` says what it says everywhere; the error is `operation_aborted` if the wait was
/// cancelled, and had not got what it wanted, such as a Condition's lock.
template <class Result>
using Signature = void(error_code, Result);

/// A completion that only waits for its turn. Its memory comes from the handler's allocator.
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

/// Posts a result that was there at once: through the handler's immediate executor, if this Asio has them.
template <class Result, class Handler, class Executor>
void complete_at_once(Handler&& handler, const Executor& executor, Result&& result) {
#if FUTON_ASIO_VERSION >= 102700
    const auto immediate = net::get_associated_immediate_executor(handler, executor);
    net::dispatch(immediate, Done<Result, Handler>(std::move(handler), std::move(result)));
#else
    net::post(executor, Done<Result, Handler>(std::move(handler), std::move(result)));
#endif
}

/// Whether a result that no handler takes undoes the operation by itself, or there is nothing to undo. Other operations
/// stay in place until the handler runs, because they may have to give something back.
template <class Op>
inline constexpr bool may_part_from_operation = core::wake_is_final<Op> || requires(const typename Op::Result& result) {
    result.owns_lock();
};

/// Instead of an executor, if the caller gave none: the handler must have one.
struct NoPlace {};

/// Whether a handler names the executor that must run it. A future's does not, though it has one.
template <class Handler>
inline constexpr bool names_executor = (requires {
    typename Handler::executor_type;
} || !std::is_same_v<typename net::associated_executor<Handler, net::system_executor>::type,
                                        net::system_executor>)&&!sets_future<Handler>;

/// The executor of a handler.
template <class Handler, class Io>
auto executor_for(const Handler& handler, const Io& io) {
    if constexpr (std::is_same_v<Io, NoPlace>) {
        static_assert(names_executor<Handler>,
                      "futon::asio: no executor is named that is to run this handler, and a callback, detached and "
                      "use_future name "
                      "none. Write async(context, op, token), async_select(context, choices, token), or "
                      "asio::bind_executor(context, token)");
        return net::get_associated_executor(handler);
    } else if constexpr (sets_future<Handler>) {
        return io;
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
            if (const auto ended = core::attempt<core::Caller::task>(op, deadline))
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

/// Whether a token is a function object that cannot be called with the operation's result. Other tokens make a handler
/// that can, or have a templated call operator.
template <class Token, class Result>
inline constexpr bool is_wrong_handler = requires {
    &Token::operator();
}
&&!std::is_invocable_v<Token, error_code, Result>;

/// A short error, because Asio's own text about a wrong handler fills a screen.
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

/// Does any operation of the library in Asio, now or later, with any completion token.
///
///     futon::asio::async(lock.locking(), [](futon::asio::error_code error, futon::AsyncLock::Guard guard) { … });
///     auto received = co_await futon::asio::async(channel.receiving(), 10ms, asio::use_awaitable);
///
/// The signature is `void(error_code, Result)`. The result says how the operation ended, as everywhere in the library:
/// a deadline that came first is not an error, but `timed_out` in the result. The error is `operation_aborted` if the
/// wait was cancelled, but for a wait for a Condition: that locks again, and succeeds with a Wakeup that owns the lock and
/// says `cancelled`. An exception of `op.result` is thrown where the handler would run.
///
/// Executor  the handler's associated one, else `place`'s. If there is neither, as with a plain callback or
///           `use_future`, the call does not compile, because Asio would run the handler on a thread of its own. The wait
///           counts as the executor's work until the handler has returned
/// Settles   on that executor, never inside this call. If the operation is done at once, the handler goes through its
///           immediate executor, if Asio has those (1.27), else through a post
/// Cancel    terminal, partial and total cancellation all end the wait. If the operation was done by then, it counts as
///           a success. Emit a signal where the handler runs, or in its strand, as for all of Asio. If the context
///           ends, the handler is destroyed, and a completed operation is given back
/// Offers    a lock or a permit that is free is taken in this call, and the handler has it before its context runs; only
///           what must wait is offered. So destroy a context that has stopped before you join threads that want the lock
/// Threads   any; no agent is needed. The executor may have several threads
/// Lifetime  the primitive lives until the handler has run or is destroyed
/// Throws    std::logic_error if the operation was used before; what the allocator, the timer, the cancellation slot
///           and the executor throw, such as std::bad_alloc. No waiter is queued then, an operation done at once is
///           given back, and the handler is destroyed. An item that was sent at once stays sent if the executor's
///           `post` throws. While the wait is pending, `post` must not throw: the program ends. A context's never does,
///           and needs no memory; a strand's needs some
/// Cost      one block from the handler's allocator if it waits, with room for the post of a wake-up; a timer if there
///           is a deadline
template <core::Operation Op, class Token>
auto async(Op op, Token&& token) {
    return detail::initiate(detail::NoPlace(), std::move(op), Deadline::never(), std::forward<Token>(token));
}
template <core::Operation Op, futon::detail::TimeOfLimits Time, class Token>
auto async(Op op, Time time, Token&& token) {
    return detail::initiate(detail::NoPlace(), std::move(op), Limits(time).deadline(), std::forward<Token>(token));
}
template <detail::Place P, core::Operation Op, class Token>
auto async(P&& place, Op op, Token&& token) {
    return detail::initiate(detail::executor_of(place), std::move(op), Deadline::never(), std::forward<Token>(token));
}
template <detail::Place P, core::Operation Op, futon::detail::TimeOfLimits Time, class Token>
auto async(P&& place, Op op, Time time, Token&& token) {
    return detail::initiate(detail::executor_of(place), std::move(op), Limits(time).deadline(),
                            std::forward<Token>(token));
}

// Near misses. Compilers quote the line that declares a deleted function, and with it the advice.
// clang-format off
template <core::Operation Op>
void async(Op, Limits, auto&&) = delete;  // futon: Asio has stops of its own: give limits.deadline(), and bind_cancellation_slot to the token
template <detail::Place P, core::Operation Op>
void async(P&&, Op, Limits, auto&&) = delete;  // futon: Asio has stops of its own: give limits.deadline(), and bind_cancellation_slot to the token
template <detail::Place P, class T>
    requires(!core::Operation<std::remove_cvref_t<T>>)
void async(P&&, T&&, auto&&...) = delete;  // futon: it takes an operation: write async(context, event.waiting(), token), lock.locking(), channel.receiving()
template <class T>
    requires(!core::Operation<std::remove_cvref_t<T>> && !detail::Place<T>)
void async(T&&, auto&&...) = delete;  // futon: it takes an operation: write async(event.waiting(), token), lock.locking(), channel.receiving()
// clang-format on

}  // namespace futon::asio

#include <futon/detail/end.hpp>
