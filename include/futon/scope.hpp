// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

#include <futon/detail/export.hpp>
#include <futon/detail/loop/scope_state.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/limits.hpp>
#include <futon/promise.hpp>

namespace futon {

/// Structured concurrency: a coroutine goes on only when all of its child coroutines have ended. Use it where a
/// coroutine starts others. Then no child outlives what it refers to, and the failure of one ends the others. For a
/// fixed number of promises whose values are needed, `all` is shorter.
///
///     co_await futon::with_scope([&](futon::Scope& scope) -> futon::Promise<void> {
///         while (auto connection = co_await listener.accept(scope.stop_token()))
///             scope.spawn([&, connection](std::stop_token stop) { return serve(connection, stop); });
///     });
///
/// The first child that fails stops the others through their stop token. Once all have ended, the join throws its
/// exception. `with_scope` always joins; for a scope made by hand, write `co_await scope.join()`.
///
/// Cancel    `request_stop`, the parent's stop token, an exception of a child, and the limits of a join each request a
///           stop of the children; none of them ends the wait for the children. A child ends when it reacts to its
///           token
/// Errors    the first exception in time is thrown, the others are dropped. If a scope is never joined, its exception
///           is reported like a dropped promise's
/// Lifetime  the scope outlives its children: destroying it while one runs ends the program
/// Teardown  if the event loop ends first, the children are destroyed before the coroutine that joins them. If a scope
///           made by hand is destroyed before the join began, its waiting children are destroyed first. In that case a
///           child that is about to resume may end later. So may one whose agent ends and whose executor, not futon's,
///           cannot retract jobs. Such a child must not refer to anything of the joining coroutine
/// Threads   the thread of its agent; `request_stop` and tokens: any
/// Cost      two allocations for a scope, and one for each child besides its coroutine
class FUTON_API Scope {
public:
    /// What `join` returns: an awaitable, used once.
    using Join = detail::ScopeJoin;

    /// Makes a scope of the current agent. A stop requested of `parent` is also requested of the children.
    ///
    /// Throws  NoExecutor; std::bad_alloc
    explicit Scope(std::stop_token parent = {});
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    /// Calls `f` at once; the promise that it returns is a child. If `f` takes a stop token, it gets the scope's. `f`
    /// and its captures live until the child has ended. If the call throws, the exception counts as the child's.
    /// Children may spawn children. The value of the promise is dropped, so a child stores its result elsewhere.
    ///
    /// Throws  std::logic_error once the children are joined, or on another thread; std::bad_alloc. No child has begun
    ///         then
    template <class F>
        requires std::is_invocable_v<F&> || std::is_invocable_v<F&, std::stop_token>
    void spawn(F f);

    /// Adopts a child that has begun.
    ///
    /// Throws  as above. The promise is dropped then, and its coroutine goes on without a join. If it refers to
    ///         anything that ends with the scope, spawn a function instead
    template <class T>
    void spawn(Promise<T> promise);

    /// An awaitable that completes once all children have ended, and throws the first exception. Nothing can be spawned
    /// afterwards.
    ///
    /// When the time is over or a stop is requested, the children are asked to stop; the join still waits for them.
    ///
    /// Throws  std::logic_error if another coroutine is joining, or on another thread; NoExecutor if there is a
    ///         deadline and the executor keeps no timers. In a coroutine of another library: std::system_error
    ///         (operation_canceled) if its agent ends first
    Join join(Limits limits = {}) { return Join(*state_, std::move(limits)); }

    /// Requests a stop of the children. Returns whether this call was the first. Any thread.
    bool request_stop() noexcept { return state_->request_stop(); }

    /// The token that children wait with: `lock.scoped_lock_async(stop)`, `select_async(…, stop_requested(stop))`.
    std::stop_token stop_token() const noexcept { return state_->stop_token(); }
    bool stop_requested() const noexcept { return state_->stop_token().stop_requested(); }

    /// How many children have not ended yet.
    std::size_t running() const noexcept { return state_->running(); }

private:
    detail::ScopeState* state_;
};

/// Calls `body` with a scope, and waits until the body and all children have ended. Body and children are equals: the
/// first exception of any of them stops the others, and is thrown in the end.
///
///     const int sum = co_await futon::with_scope([&](futon::Scope& scope) -> futon::Promise<int> { ... });
///
/// Returns  a promise of the value that the promise of `body` yields. If there is no memory for the scope, it is
///          rejected with std::bad_alloc, and `body` is not called
/// Throws   NoExecutor; std::bad_alloc. `body` was not called then
/// Cost     a scope, a child, and two allocations
template <class F>
    requires std::is_invocable_v<F&, Scope&>
auto with_scope(F body, std::stop_token parent = {}) -> std::invoke_result_t<F&, Scope&>;

}  // namespace futon

#include <futon/detail/loop/scope_child.hpp>  // how children and bodies run

#include <futon/detail/end.hpp>
