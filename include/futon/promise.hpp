// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <type_traits>
#include <utility>

#include <futon/detail/loop/promise_state.hpp>
#include <futon/detail/loop/promise_then.hpp>

namespace futon {

namespace detail {

template <class T>
class CoroutinePromise;

struct PromiseAccess;

}  // namespace detail

/// A value that comes later, on the agent where the promise was made. It settles once.
///
/// A coroutine may return one, like JavaScript's async functions: the coroutine starts at once, and after each
/// `co_await` that must wait it resumes on the agent's executor. Its promise settles after everything that the
/// coroutine held is destroyed.
///
///     futon::Promise<int> reading(futon::Word<int> word) {
///         co_await futon::wait_async(word, 0, 50ms);
///         co_return word.load();
///     }
///
/// Settles   on the agent's executor: no listener ever runs inside the call that settles it.
/// Cancel    dropping a pending promise of an operation (`wait_async`, `core::promise_of`) dequeues its waiter, if
///           nothing listens; `then` and `co_await` count as listening. What it was handed already goes on at once,
///           or, if another thread hands it over just then, when the loop runs. Dropping a coroutine's promise lets
///           the coroutine run on.
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
    Promise& operator=(Promise&& other) noexcept;
    ~Promise();

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
        return detail::Then<T, const Value&>::begin(listened_to(), std::move(f));
    }
    template <class F>
    auto then(F f) && {
        return detail::Then<T, Value&&>::begin(listened_to(), std::move(f));
    }

    // A near miss. Compilers quote the line that declares a deleted function, and with it the advice.
    // clang-format off
    template <class F>
        requires(!std::is_void_v<T> && !std::is_invocable_v<F, const Value&> && std::is_invocable_v<F, Value&&>)
    void then(F) const& = delete;  // futon: f takes the value itself: write std::move(promise).then(f), or let f take a const reference
    // clang-format on

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

    State& state() const;
    State& own_state() const noexcept;
    detail::StateRef<State> listened_to() const;

    State* state_;
};

}  // namespace futon

#include <futon/detail/loop/promise_access.hpp>  // how its state is reached, and how a coroutine settles it

#include <futon/detail/end.hpp>
