// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <system_error>
#include <type_traits>
#include <utility>

#include <futon/core/driver/await.hpp>
#include <futon/core/driver/block.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/thread_safety.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/fairness.hpp>
#include <futon/limits.hpp>
#include <futon/promise.hpp>
#include <futon/sync/async_lock.hpp>
#include <futon/sync/blocking_guard.hpp>
#include <futon/wait_result.hpp>

namespace futon {

namespace detail {
/// Throws std::system_error (operation_not_permitted).
[[noreturn]] FUTON_API void throw_no_access();
}  // namespace detail

/// A value that is reachable only while its lock is held.
///
///     futon::Guarded<std::vector<int>> scores;
///     scores.with_lock([](auto& list) { list.push_back(7); });                // a thread that may block
///     co_await scores.with_lock_async([](auto& list) { list.clear(); });      // an event loop
///     if (auto list = co_await scores.lock_async(5ms)) list->push_back(8);    // a coroutine
///
/// | to reach the value        | threads and tasks that may | if the lock is held           |
/// |---------------------------|----------------------------|-------------------------------|
/// | with_lock, lock           | agents that may block      | blocks; else BlockingForbidden |
/// | try_lock                  | any                        | gives no access               |
/// | with_lock_async           | agents with an executor    | the function runs later       |
/// | lock_async                | coroutines                 | the coroutine is suspended    |
/// | locking                   | drivers, `select`          | the driver decides            |
///
/// Through a `const Guarded` the value is const, but readers still exclude each other. A function that receives the
/// value may not return a reference. A pointer or an iterator into the value must not leave the function, nor outlive
/// the access.
///
/// Fairness  as AsyncLock
/// Ordering  as AsyncLock
/// Lifetime  the object outlives all waits for it. It is neither copied nor moved.
/// Cost      four bytes for the lock, before the value's alignment
template <class T>
class Guarded {
    static_assert(std::is_object_v<T> && !std::is_const_v<T>, "futon::Guarded: it keeps a value that is not const");

public:
    template <class Value>
    class Access;
    template <class Value>
    class Acquiring;

    Guarded() requires std::is_default_constructible_v<T>
    = default;

    /// Constructs the value in place, from these arguments.
    template <class... Args>
        requires std::is_constructible_v<T, Args...>
    explicit Guarded(std::in_place_t, Args&&... args) : value_(std::forward<Args>(args)...) {}

    /// The same, with a lock of this fairness.
    template <class... Args>
        requires std::is_constructible_v<T, Args...>
    explicit Guarded(Fairness fairness, std::in_place_t, Args&&... args)
        : lock_(fairness), value_(std::forward<Args>(args)...) {}

    /// Moves the value in.
    explicit Guarded(T value) : value_(std::move(value)) {}

    Guarded(const Guarded&) = delete;
    Guarded& operator=(const Guarded&) = delete;

    /// Runs `f(value)` while holding the lock.
    ///
    /// Returns  what `f` returns
    /// Threads  agents that may block.
    /// Throws   BlockingForbidden if the agent may not block; what `f` throws, after releasing the lock
    template <class F>
    auto with_lock(F&& f) {
        require_value<std::invoke_result_t<F, T&>>();
        require_can_block();
        const BlockingGuard hold(lock_);
        return std::forward<F>(f)(value_);
    }
    template <class F>
    auto with_lock(F&& f) const {
        require_value<std::invoke_result_t<F, const T&>>();
        require_can_block();
        const BlockingGuard hold(lock_);
        return std::forward<F>(f)(value_);
    }

    /// Runs `f(value)` while holding the lock: at once if it is free, else later, on this agent's executor. If `f`
    /// returns a promise, the lock is held until that promise settles.
    ///
    /// Returns  as AsyncLock::execute_locked
    /// Cancel   as AsyncLock::execute_locked
    /// Throws   as AsyncLock::execute_locked
    template <class F>
    auto with_lock_async(F f) {
        require_value<std::invoke_result_t<F&, T&>>();
        require_executor();
        return lock_.execute_locked(Bound<T, F>{&value(), std::move(f)});
    }
    template <class F>
    auto with_lock_async(F f) const {
        require_value<std::invoke_result_t<F&, const T&>>();
        require_executor();
        return lock_.execute_locked(Bound<const T, F>{&value(), std::move(f)});
    }

    /// Locks, and gives access to the value until the Access goes out of scope. If the limits are over first,
    /// the Access has no access, and says why.
    ///
    /// Threads  agents that may block.
    /// Throws   BlockingForbidden if the agent may not block, even if the lock is free
    Access<T> lock(const Limits& limits = {}) { return core::block(locking(), limits); }
    Access<const T> lock(const Limits& limits = {}) const { return core::block(locking(), limits); }

    /// Gives access if the lock is free, without waiting. Any agent.
    Access<T> try_lock() noexcept { return try_lock(*this); }
    Access<const T> try_lock() const noexcept { return try_lock(*this); }

    /// `lock` for coroutines: `co_await` gives an Access, on this agent.
    ///
    /// Throws  when awaited: NoExecutor if the thread has no executor, or if there is a deadline and the executor keeps
    ///         no timers
    auto lock_async(Limits limits = {}) { return core::await(locking(), std::move(limits)); }
    auto lock_async(Limits limits = {}) const { return core::await(locking(), std::move(limits)); }

    /// `lock` as an operation, for `select` and the drivers of `core`. Yields an Access.
    Acquiring<T> locking() noexcept { return {lock_, value()}; }
    Acquiring<const T> locking() const noexcept { return {lock_, value()}; }

private:
    template <class Result>
    static constexpr void require_value() {
        static_assert(!std::is_reference_v<Result>,
                      "futon::Guarded: the function returns a reference, which would outlive the lock");
    }

    static void require_can_block() {
        if (!detail::this_thread_can_block()) [[unlikely]]
            detail::throw_blocking_forbidden("futon::Guarded::with_lock");
    }
    static void require_executor() { Agent::current().require_executor_for_wait("futon::Guarded::with_lock_async"); }

    /// A function bound to the value, for execute_locked.
    template <class Value, class F>
    struct Bound {
        Value* value;
        F f;
        decltype(auto) operator()() { return f(*value); }
    };

    template <class Self>
    static auto try_lock(Self& self) noexcept {
        auto op = self.locking();
        return op.result(op.try_now() ? core::Ending::at_once : core::Ending::timed_out);
    }

    /// The address alone, for functions that lock before they use it.
    T& value() noexcept FUTON_NO_THREAD_SAFETY_ANALYSIS { return value_; }
    const T& value() const noexcept FUTON_NO_THREAD_SAFETY_ANALYSIS { return value_; }

    mutable AsyncLock lock_;
    T value_ FUTON_GUARDED_BY(lock_){};
};

/// Access to the value of a Guarded, for as long as this owns its lock; or the reason why there is none.
///
///     if (auto list = scores.lock(5ms)) list->push_back(7);
template <class T>
template <class Value>
class [[nodiscard]] Guarded<T>::Access {
public:
    Access(Access&&) noexcept = default;
    Access& operator=(Access&&) noexcept = default;

    /// Whether it owns the lock, so that the value can be reached.
    bool has_access() const noexcept { return guard_.owns_lock(); }
    explicit operator bool() const noexcept { return has_access(); }

    /// `ok` if it has access, else `timed_out` or `cancelled`.
    WaitResult result() const noexcept { return guard_.result(); }

    /// The value. Not for an Access that ends with the statement. Throws std::system_error (operation_not_permitted) if
    /// there is no access.
    Value& operator*() const& {
        require_access();
        return *value_;
    }
    Value& operator*() const&& = delete;
    Value* operator->() const {
        require_access();
        return value_;
    }

    /// Unlocks before the end of the scope. Throws std::system_error (operation_not_permitted) if there is no access.
    void unlock() {
        require_access();
        guard_.unlock();
    }
    void unlock_fair() {
        require_access();
        guard_.unlock_fair();
    }

    /// The guard of the lock, for a wait at a `Condition`: `changed.wait(list.guard(), [&] { return !list->empty();
    /// })`.
    AsyncLock::Guard& guard() noexcept { return guard_; }

private:
    friend class Guarded::Acquiring<Value>;
    Access(AsyncLock::Guard guard, Value* value) noexcept : guard_(std::move(guard)), value_(value) {}

    void require_access() const {
        if (!has_access()) [[unlikely]]
            detail::throw_no_access();
    }

    AsyncLock::Guard guard_;
    Value* value_;
};

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

static_assert(sizeof(Guarded<int>) == 8);

}  // namespace futon

#include <futon/detail/end.hpp>
