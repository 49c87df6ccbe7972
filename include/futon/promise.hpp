// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <coroutine>
#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>

#include <futon/detail/loop/promise_state.hpp>

namespace futon {

template <class T>
class Promise;

namespace detail {

template <class T>
class CoroutinePromise;

struct PromiseAccess;

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

/// A value that comes later, on the agent where the promise was made. It settles once.
///
/// A coroutine may return one, like JavaScript's async functions: the coroutine starts at once, and after each
/// `co_await` that has to wait it resumes on the agent's executor. Its promise settles after everything that the
/// coroutine held is destroyed.
///
///     futon::Promise<int> reading(futon::Word<int> word) {
///         co_await futon::wait_async(word, 0, 50ms);
///         co_return word.load();
///     }
///
/// Settles   on the agent's executor: no listener ever runs inside the call that settles it.
/// Cancel    dropping a pending promise of an operation (`wait_async`, `core::promise_of`) dequeues its waiter, if
///           nothing listens; `then` and `co_await` count as listening. Dropping a coroutine's promise lets the
///           coroutine run on.
/// Threads   the agent's own only. Another thread settles it through a PromiseSource, or reaches the promise's thread
///           with `EventLoop::post`.
/// Errors    an exception goes to the listener. If nothing has listened when the promise is dropped, the current
///           agent's executor reports it: it leaves from `EventLoop::run`. If the current agent has no executor, the
///           enclosing agent's reports it. If there is none either, the program ends, as with an exception that leaves
///           a thread.
/// Throws    calling a coroutine throws std::bad_alloc before its body runs, if there is no memory. A std::bad_alloc of
///           the body is the coroutine's exception.
/// Moved     a moved-from promise may only be assigned to or destroyed: `then`, `co_await` and `run_until` throw
///           std::logic_error; `is_settled` and `unref` end the program.
/// Teardown  a promise whose event loop ends first never settles. futon's coroutines that await it are destroyed with
///           their own agent; coroutines of other libraries are resumed with std::logic_error.
/// Spec      Promise, with two differences: it has one owner, and awaiting a settled one continues at once.
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

    /// Exchanges the states of the two promises.
    void swap(Promise& other) noexcept { std::swap(state_, other.state_); }

    /// Whether it has a value or an exception.
    bool is_settled() const noexcept { return own_state().is_settled(); }

    /// Lets `EventLoop::run` return even while this wait is pending. A coroutine's promise does not keep a loop
    /// running; the waits inside the coroutine do.
    void unref() noexcept { own_state().unref(); }

    /// Calls `f` with the value later, on this agent. What `f` returns settles the promise that `then` returns; if that
    /// is a promise, its outcome does. An exception skips `f`.
    ///
    /// If this promise is an rvalue, `f` gets the value as an rvalue; else as a const lvalue.
    ///
    /// Throws  NoExecutor; std::logic_error if the promise's event loop has ended; std::bad_alloc. `f` is not called
    ///         then
    template <class F>
    auto then(F f) const& {
        return continue_with<const Value&>(listened_to(), std::move(f));
    }

    template <class F>
    auto then(F f) && {
        return continue_with<Value&&>(listened_to(), std::move(f));
    }

    /// Waits for the value, or throws the exception. Continues at once if it is settled.
    ///
    /// If this promise is an rvalue, the value is moved out; else it stays, and the result refers to it.
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

    /// As `state`, for functions that cannot throw.
    State& own_state() const noexcept {
        detail::expects(state_ != nullptr, "a promise that was moved from is only assigned to or destroyed");
        return *state_;
    }

    /// The state, for a caller that is about to listen.
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

/// The two sides of a promise, for the code that settles it.
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

    /// Settles only here, after everything that the coroutine held is destroyed. If a destructor throws after
    /// `co_return`, its exception replaces the value.
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

/// Calls a function that returns a promise, and keeps the function and its captures until the promise has settled.
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
