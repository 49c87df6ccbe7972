// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <system_error>
#include <type_traits>
#include <utility>

#include <futon/agent.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/loop/unwrapped.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/sync/require_can_block.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/sync/async_lock.hpp>
#include <futon/sync/blocking_guard.hpp>
#include <futon/sync/guarded.hpp>
#include <futon/sync/guarded_access.hpp>
#include <futon/wait_result.hpp>

// The operation that gives access to the value of a Guarded, and functions that are called with it.
namespace futon {

static_assert(sizeof(Guarded<int>) == 8);

/// "Lock it, and give access to the value" as an operation.
template <class T>
template <class Value>
class FUTON_WARN_UNUSED Guarded<T>::Acquiring : public AsyncLock::Locking {
public:
    using Result = Access<Value>;
    static constexpr const char* name = "futon::Guarded::lock";

    Result result(core::Ending ending) noexcept { return {Locking::result(ending), value_}; }

private:
    friend class Guarded;
    Acquiring(AsyncLock& lock, Value& value) noexcept : Locking(lock), value_(&value) {}

    Value* value_;
};

namespace detail {

/// Throws std::system_error (operation_not_permitted).
[[noreturn]] FUTON_API void throw_no_access();

template <class Result>
constexpr void require_value() {
    static_assert(!std::is_reference_v<Result>,
                  "futon::Guarded: the function returns a reference, which would outlive the lock");
}

/// For functions that do not keep the lock until a promise has settled.
template <class Result>
constexpr void require_plain_value() {
    require_value<Result>();
    static_assert(!Unwrapped<std::remove_cvref_t<Result>>::is_promise,
                  "futon::Guarded::with_lock: the function returns a promise, as a coroutine does, which would go on "
                  "without the lock: write co_await with_lock_async(f)");
}

/// A function bound to the value, for execute_locked.
template <class Value, class F>
struct BoundTo {
    Value* value;
    F f;
    decltype(auto) operator()() { return f(*value); }
};

}  // namespace detail

template <class T>
template <class F>
auto Guarded<T>::with_lock(F&& f) {
    detail::require_plain_value<std::invoke_result_t<F, T&>>();
    detail::require_can_block("futon::Guarded::with_lock");
    const BlockingGuard hold(lock_);
    return std::forward<F>(f)(value_);
}
template <class T>
template <class F>
auto Guarded<T>::with_lock(F&& f) const {
    detail::require_plain_value<std::invoke_result_t<F, const T&>>();
    detail::require_can_block("futon::Guarded::with_lock");
    const BlockingGuard hold(lock_);
    return std::forward<F>(f)(value_);
}

template <class T>
template <class F>
auto Guarded<T>::with_lock_async(F f) {
    detail::require_value<std::invoke_result_t<F&, T&>>();
    Agent::current().require_executor_for_wait("futon::Guarded::with_lock_async");
    return lock_.execute_locked(detail::BoundTo<T, F>{&value(), std::move(f)});
}
template <class T>
template <class F>
auto Guarded<T>::with_lock_async(F f) const {
    detail::require_value<std::invoke_result_t<F&, const T&>>();
    Agent::current().require_executor_for_wait("futon::Guarded::with_lock_async");
    return lock_.execute_locked(detail::BoundTo<const T, F>{&value(), std::move(f)});
}

template <class T>
template <class Self>
auto Guarded<T>::access_now(Self& self) noexcept {
    auto op = self.locking();
    return op.result(op.try_now() ? core::Ending::at_once : core::Ending::timed_out);
}
template <class T>
auto Guarded<T>::try_lock() noexcept -> Access<T> {
    return access_now(*this);
}
template <class T>
auto Guarded<T>::try_lock() const noexcept -> Access<const T> {
    return access_now(*this);
}

template <class T>
auto Guarded<T>::locking() noexcept -> Acquiring<T> {
    return {lock_, value()};
}
template <class T>
auto Guarded<T>::locking() const noexcept -> Acquiring<const T> {
    return {lock_, value()};
}

template <class T>
template <class Value>
void Guarded<T>::Access<Value>::require_access() const {
    if (!has_access()) [[unlikely]]
        detail::throw_no_access();
}
template <class T>
template <class Value>
Value& Guarded<T>::Access<Value>::operator*() const& {
    require_access();
    return *value_;
}
template <class T>
template <class Value>
Value* Guarded<T>::Access<Value>::operator->() const {
    require_access();
    return value_;
}
template <class T>
template <class Value>
void Guarded<T>::Access<Value>::unlock() {
    require_access();
    guard_.unlock();
}
template <class T>
template <class Value>
void Guarded<T>::Access<Value>::unlock_fair() {
    require_access();
    guard_.unlock_fair();
}

}  // namespace futon

#include <futon/detail/end.hpp>
