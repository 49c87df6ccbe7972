// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <futon/detail/export.hpp>
#include <futon/detail/scope_state.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/promise.hpp>
#include <futon/time_limit.hpp>

namespace futon {

namespace detail {

/// A child of a scope as its coroutine keeps it. The members are destroyed in the reverse order: the scope hears of the end
/// once all is destroyed that the child held.
template <class F>
struct SpawnedChild {
    SpawnedChild(ScopeState& scope, F&& its_function) : child(scope), function(std::move(its_function)) {}

    ScopeChild child;
    F function;
};

/// The coroutine of a child: no promise of it is needed.
struct ChildCoroutine {
    struct promise_type {
        ChildCoroutine get_return_object() const noexcept { return {}; }
        std::suspend_never initial_suspend() const noexcept { return {}; }
        std::suspend_never final_suspend() const noexcept { return {}; }
        void return_void() const noexcept {}
        void unhandled_exception() const noexcept { std::terminate(); }  // the coroutine catches all
    };

    template <class F>
    static ChildCoroutine run(SpawnedChild<F> spawned) {
        spawned.child.begin();
        try {
            const auto promise = call(spawned);
            using T = typename std::remove_cvref_t<decltype(promise)>::value_type;
            co_await PromiseAwaiter<T, void>(PromiseAccess::state_of(promise));
        } catch (...) {
            spawned.child.fail(std::current_exception());
        }
        spawned.child.finish();
    }

private:
    template <class F>
    static auto call(SpawnedChild<F>& spawned) {
        if constexpr (Unwrapped<F>::is_promise) {
            return std::move(spawned.function);
        } else if constexpr (std::is_invocable_v<F&, std::stop_token>) {
            return spawned.function(spawned.child.stop_token());
        } else {
            return spawned.function();
        }
    }
};

template <>
inline constexpr bool is_own_coroutine<ChildCoroutine::promise_type> = true;

/// What a function returns that is called for a child.
template <class F>
using ChildOf = typename std::conditional_t<std::is_invocable_v<F&, std::stop_token>,
                                            std::invoke_result<F&, std::stop_token>, std::invoke_result<F&>>::type;

template <class F>
concept ChildFunction = std::is_invocable_v<F&> || std::is_invocable_v<F&, std::stop_token>;

}  // namespace detail

/// The children of a coroutine: coroutines that all have ended when it goes on.
///
///     co_await futon::with_scope([&](futon::Scope& scope) -> futon::Promise<void> {
///         while (auto connection = co_await listener.accept(scope.stop_token()))
///             scope.spawn([&, connection](std::stop_token stop) { return serve(connection, stop); });
///     });
///
/// The first child that fails stops the others, by their stop token; once all have ended, the join throws its exception.
/// `with_scope` joins in any case. A scope that is made by hand is joined by `co_await scope.join()`.
///
/// Cancel    `request_stop`, the parent's stop token, an exception of a child, the limits of a join: all of them request a
///           stop of the children, and none ends a wait for them. A child ends when it heeds its token
/// Errors    of several exceptions the first in time is thrown, others are dropped. That of a scope which is never joined is
///           reported as that of a promise which is dropped
/// Lifetime  it ends after its children: a scope that is destroyed while one runs ends the program
/// Teardown  if its event loop ends first, the children are destroyed before the coroutine that joins them. Of a scope that is
///           made by hand, and is destroyed before the join began, the children that wait are destroyed first; one that is
///           just about to go on may end later. So may, in any case, one that is about to go on where an agent ends whose
///           executor, not futon's, gives no jobs back: it must refer to nothing of what joins
/// Threads   that of its agent; `request_stop` and tokens: any
/// Cost      two allocations for a scope, and one for each child beside those of its coroutine
class FUTON_API Scope {
public:
    /// A scope of the current agent. A stop that is requested of `parent` is requested of the children, too.
    ///
    /// Throws  NoExecutor; std::bad_alloc
    explicit Scope(std::stop_token parent = {});
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    /// Calls `f`, at once; the promise that it returns is a child. `f` is called with the scope's stop token if it takes one, and
    /// is kept, with all that it captured, until the child has ended. An exception of the call is the child's. Children may spawn
    /// children. The value of the promise is dropped: a child leaves what it has made where others find it.
    ///
    /// Throws  std::logic_error once the children are joined, or on another thread; std::bad_alloc. Then no child has begun
    template <detail::ChildFunction F>
    void spawn(F f) {
        static_assert(detail::Unwrapped<detail::ChildOf<F>>::is_promise,
                      "futon::Scope::spawn: a child is a function that returns a futon::Promise");
        detail::ChildCoroutine::run(detail::SpawnedChild<F>(*state_, std::move(f)));
    }

    /// Adopts a child that has begun.
    ///
    /// Throws  as above. Then the promise is dropped, and what it is of goes on without a join that waits for it: a function is
    ///         spawned where it refers to what ends with the scope
    template <class T>
    void spawn(Promise<T> promise) {
        detail::ChildCoroutine::run(detail::SpawnedChild<Promise<T>>(*state_, std::move(promise)));
    }

    /// An awaitable that goes on once all children have ended; throws the first exception of them. Afterwards nothing is spawned.
    ///
    /// When the limit comes, or `stop` is requested, a stop of the children is requested; the join waits for them none the less.
    ///
    /// Throws  std::logic_error if another coroutine is joining, or on another thread; NoExecutor with a deadline where no timers
    ///         are kept. In a coroutine that is not futon's, std::system_error (operation_canceled) if its agent ends first
    detail::ScopeJoin join(TimeLimit limit = Deadline::never(), std::stop_token stop = {}) {
        return detail::ScopeJoin(*state_, limit.deadline(), std::move(stop));
    }
    detail::ScopeJoin join(std::stop_token stop) { return join(Deadline::never(), std::move(stop)); }

    /// Requests a stop of the children. Returns whether this call did. Any thread.
    bool request_stop() noexcept { return state_->request_stop(); }

    /// What children wait with: `lock.scoped_lock_async(stop)`, `select_async(…, stop_requested(stop))`.
    std::stop_token stop_token() const noexcept { return state_->stop_token(); }
    bool stop_requested() const noexcept { return state_->stop_token().stop_requested(); }

    /// How many children have not ended.
    std::size_t running() const noexcept { return state_->running(); }

private:
    detail::ScopeState* state_;
};

namespace detail {

template <class F>
using ScopedBody = Unwrapped<std::invoke_result_t<F&, Scope&>>;

template <class F>
auto run_with_scope(F body, std::stop_token parent) -> Promise<typename ScopedBody<F>::Type> {
    using T = typename ScopedBody<F>::Type;
    [[maybe_unused]] std::optional<std::conditional_t<std::is_void_v<T>, std::monostate, T>> result;
    Scope scope(parent);  // ends before what its children write to
    if constexpr (std::is_void_v<T>) {
        scope.spawn([&]() { return body(scope); });
        co_await scope.join();
    } else {
        scope.spawn([&]() -> Promise<void> { result.emplace(co_await body(scope)); });
        co_await scope.join();
        co_return std::move(*result);
    }
}

}  // namespace detail

/// Calls `body` with a scope, and waits until it and all children of the scope have ended. Body and children are equals: the
/// first exception of any of them stops the others, and is thrown in the end.
///
/// Returns  a promise of what the promise of `body` yields. It is rejected with a std::bad_alloc if there is no memory for the
///          scope: `body` is not called then
/// Throws   NoExecutor; std::bad_alloc. `body` was not called then
/// Cost     as a scope and a child, and two allocations
template <class F>
    requires std::is_invocable_v<F&, Scope&>
auto with_scope(F body, std::stop_token parent = {}) -> Promise<typename detail::ScopedBody<F>::Type> {
    static_assert(detail::ScopedBody<F>::is_promise,
                  "futon::with_scope: the body is a function that returns a futon::Promise");
    Agent::current().require_executor_for_wait("futon::with_scope");
    return detail::run_with_scope(std::move(body), std::move(parent));
}

}  // namespace futon

#include <futon/detail/end.hpp>
