// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include <futon/agent.hpp>
#include <futon/core/probe.hpp>
#include <futon/detail/loop/promise_state.hpp>
#include <futon/detail/loop/scope_state.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/promise.hpp>
#include <futon/scope.hpp>

// How the children of a Scope run, and the body of `with_scope`, which is one of them.
namespace futon {

namespace detail {

/// A child of a scope, as its coroutine keeps it. The members are destroyed in reverse order, so the scope learns of
/// the end after everything that the child held is destroyed.
template <class F>
struct SpawnedChild {
    SpawnedChild(ScopeState& scope, F&& its_function) : child(scope), function(std::move(its_function)) {}

    ScopeChild child;
    F function;
};

/// The coroutine of a child, which needs no promise of its own.
struct ChildCoroutine {
    struct promise_type {
        promise_type() = default;
        template <class F>
            requires(core::probe::is_enabled)
        explicit promise_type(SpawnedChild<F>& spawned) noexcept {
            settler_.set(std::coroutine_handle<promise_type>::from_promise(*this).address(), spawned.child.joined());
        }

        ChildCoroutine get_return_object() const noexcept { return {}; }
        std::suspend_never initial_suspend() const noexcept { return {}; }
        std::suspend_never final_suspend() const noexcept { return {}; }
        void return_void() const noexcept {}
        void unhandled_exception() const noexcept { std::terminate(); }  // the coroutine catches all

        [[no_unique_address]] core::probe::Settler settler_;
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

/// What a child's function returns.
template <class F>
using ChildOf = typename std::conditional_t<std::is_invocable_v<F&, std::stop_token>,
                                            std::invoke_result<F&, std::stop_token>, std::invoke_result<F&>>::type;

template <class F>
using ScopedBody = Unwrapped<std::invoke_result_t<F&, Scope&>>;

template <class F>
auto run_with_scope(F body, std::stop_token parent) -> Promise<typename ScopedBody<F>::Type> {
    using T = typename ScopedBody<F>::Type;
    [[maybe_unused]] std::optional<std::conditional_t<std::is_void_v<T>, std::monostate, T>> result;
    Scope scope(parent);  // ends before the objects that its children write to
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

template <class F>
    requires std::is_invocable_v<F&> || std::is_invocable_v<F&, std::stop_token>
inline void Scope::spawn(F f) {
    static_assert(detail::Unwrapped<detail::ChildOf<F>>::is_promise,
                  "futon::Scope::spawn: a child is a function that returns a futon::Promise");
    detail::ChildCoroutine::run(detail::SpawnedChild<F>(*state_, std::move(f)));
}

template <class T>
inline void Scope::spawn(Promise<T> promise) {
    detail::ChildCoroutine::run(detail::SpawnedChild<Promise<T>>(*state_, std::move(promise)));
}

template <class F>
    requires std::is_invocable_v<F&, Scope&>
auto with_scope(F body, std::stop_token parent) -> std::invoke_result_t<F&, Scope&> {
    static_assert(detail::ScopedBody<F>::is_promise,
                  "futon::with_scope: the body is a function that returns a futon::Promise");
    Agent::current().require_executor_for_wait("futon::with_scope");
    return detail::run_with_scope(std::move(body), std::move(parent));
}

}  // namespace futon

#include <futon/detail/end.hpp>
