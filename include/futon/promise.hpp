// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <coroutine>
#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>

#include <futon/detail/promise_state.hpp>

namespace futon {

template <class T>
class Promise;

namespace detail {

template <class T>
class CoroutinePromise;

struct PromiseAccess;

/// The T of a Promise<T>; any other type as it is.
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

/// A value that comes later, on the agent it was made on; settles once.
///
/// It is also what a coroutine may return, as JavaScript's async functions do: the coroutine starts at once, and
/// goes on, after each `co_await` that has to wait, on the agent's executor. Its promise settles when all that it held is
/// destroyed.
///
///     futon::Promise<int> reading(futon::Word<int> word) {
///         co_await futon::wait_async(word, 0, 50ms);
///         co_return word.load();
///     }
///
/// Settles   on the agent's executor: nothing that listens ever runs inside the call that settles it.
/// Cancel    dropping a pending promise of an operation (`wait_async`, `core::promise_of`) that nothing listens to dequeues
///           its waiter; `then` and `co_await` count as listening. Dropping a coroutine's promise lets the coroutine run on.
/// Threads   the agent's own only. Another thread settles it through a PromiseSource, or reaches its
///           thread by `EventLoop::post`.
/// Errors    an exception goes to what listens. If nothing has listened when the promise is dropped, the executor reports
///           it: it leaves from `EventLoop::run`. Where the current agent has no executor, that of the agent that encloses it
///           does. Where no executor is left, the program ends as it does when an exception leaves a thread.
/// Throws    the call of a coroutine: std::bad_alloc. Nothing of its body has run then. Where the body is refused memory, the
///           exception is the coroutine's.
/// Moved     a promise that was moved from is only assigned to or destroyed: `then`, `co_await` and `run_until` throw
///           std::logic_error; `is_settled` and `unref` end the program.
/// Teardown  a promise whose event loop ends first never settles. Coroutines that await it are destroyed with their own
///           agent; those that are not futon's belong to another library, and are resumed with std::logic_error.
/// Spec      Promise, but for this: it has one owner, and awaiting a settled one goes on at once.
template <class T>
class Promise {
    static_assert(!std::is_reference_v<T>, "futon::Promise: a promise holds a value, not a reference");

    using State = detail::PromiseState<T>;
    using Value = typename State::Value;
    using ConstReference = std::conditional_t<std::is_void_v<T>, void, std::add_lvalue_reference_t<const T>>;

public:
    using value_type = T;
    using promise_type = detail::CoroutinePromise<T>;

    Promise(Promise&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}

    Promise& operator=(Promise&& other) noexcept {
        Promise(std::move(other)).swap(*this);
        return *this;
    }

    ~Promise() {
        if (state_ != nullptr) state_->drop_handle();
    }

    /// Exchanges what the two are the promises of.
    void swap(Promise& other) noexcept { std::swap(state_, other.state_); }

    /// Whether it has a value or an exception.
    bool is_settled() const noexcept { return own_state().is_settled(); }

    /// Lets `EventLoop::run` return although this wait is pending. A coroutine's promise holds no loop by itself: the
    /// waits inside the coroutine do.
    void unref() noexcept { own_state().unref(); }

    /// Calls `f` with the value, later, on this agent; what `f` returns settles the promise that `then` returns. If
    /// `f` returns a promise, that one is waited for. An exception passes `f` by.
    ///
    /// On an rvalue, `f` gets the value as an rvalue, else as a const lvalue.
    ///
    /// Throws  NoExecutor; std::logic_error if the promise's event loop has ended; std::bad_alloc. `f` is not called then
    template <class F>
    auto then(F f) const& {
        return continue_with<const Value&>(listened_to(), std::move(f));
    }

    template <class F>
    auto then(F f) && {
        return continue_with<Value&&>(listened_to(), std::move(f));
    }

    /// Waits for the value; throws the exception. Goes on at once if it is settled.
    ///
    /// On an rvalue the value is moved out; else it stays, and the result refers to it.
    ///
    /// Throws  NoExecutor; std::logic_error if the promise's event loop has ended
    auto operator co_await() const& { return detail::PromiseAwaiter<T, ConstReference>(state()); }
    auto operator co_await() && { return detail::PromiseAwaiter<T, T>(state()); }

private:
    friend struct detail::PromiseAccess;

    explicit Promise(State& state) noexcept : state_(&state) {}

    State& state() const {
        if (state_ == nullptr) [[unlikely]]
            detail::throw_moved_promise();
        return *state_;
    }

    /// As `state`, for what cannot throw.
    State& own_state() const noexcept {
        detail::expects(state_ != nullptr, "a promise that was moved from is only assigned to or destroyed");
        return *state_;
    }

    /// The state, for one who is about to listen.
    detail::StateRef<State> listened_to() const {
        Agent::current().require_executor("futon::Promise::then");
        if (state().is_abandoned()) detail::throw_broken_promise();
        return detail::StateRef<State>(state());
    }

    template <class Argument, class F>
    static decltype(auto) reply(F& f, Value& value) {
        if constexpr (std::is_void_v<T>) {
            return std::move(f)();
        } else {
            return std::apply(std::move(f), std::forward_as_tuple(static_cast<Argument>(value)));
        }
    }

    template <class Argument, class F>
    using Reply = detail::Unwrapped<decltype(reply<Argument>(std::declval<F&>(), std::declval<Value&>()))>;

    template <class Argument, class F>
    static Promise<typename Reply<Argument, F>::Type> continue_with(detail::StateRef<State> source, F f) {
        co_await detail::PromiseAwaiter<T, void, detail::Resume::always_later>(*source);
        if constexpr (Reply<Argument, F>::is_promise) {
            co_return co_await reply<Argument>(f, source->value());
        } else {
            co_return reply<Argument>(f, source->value());
        }
    }

    State* state_;
};

namespace detail {

/// The two sides of a promise, for those who settle it.
struct PromiseAccess {
    template <class T>
    static Promise<T> handle_of(PromiseState<T>& state) noexcept {
        return Promise<T>(state);
    }
    template <class T>
    static PromiseState<T>& state_of(const Promise<T>& promise) {
        return promise.state();
    }
};

/// A coroutine's side of the promise it returns.
template <class T>
class CoroutinePromiseBase {
public:
    CoroutinePromiseBase() : state_(*new PromiseState<T>) { state_.retain(); }
    CoroutinePromiseBase(const CoroutinePromiseBase&) = delete;
    CoroutinePromiseBase& operator=(const CoroutinePromiseBase&) = delete;

    ~CoroutinePromiseBase() {
        if (state_.is_pending()) state_.abandon();
        state_.release();
    }

    Promise<T> get_return_object() noexcept { return PromiseAccess::handle_of(state_); }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    void unhandled_exception() noexcept { state_.set_exception(std::current_exception()); }

    /// Settles only here, when all that the coroutine held is destroyed: what a destructor throws after `co_return` takes the
    /// place of the value.
    std::suspend_never final_suspend() const noexcept {
        state_.settle();
        return {};
    }

protected:
    PromiseState<T>& state_;
};

template <class T>
class CoroutinePromise : public CoroutinePromiseBase<T> {
public:
    template <std::convertible_to<T> U = T>
    void return_value(U&& value) {
        this->state_.set_value(std::forward<U>(value));
    }
};

template <class T>
inline constexpr bool is_own_coroutine<CoroutinePromise<T>> = true;

template <>
class CoroutinePromise<void> : public CoroutinePromiseBase<void> {
public:
    void return_void() noexcept { state_.set_value(); }
};

/// Calls a function that returns a promise, and keeps it, with all that it captured, until that has settled.
template <class F>
struct KeptCall {
    static Promise<void> begin(F f) {
        const auto promise = f();
        using T = typename std::remove_cvref_t<decltype(promise)>::value_type;
        co_await PromiseAwaiter<T, void>(PromiseAccess::state_of(promise));
    }
};

}  // namespace detail

}  // namespace futon

#include <futon/detail/end.hpp>
