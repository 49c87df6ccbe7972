// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <type_traits>
#include <utility>

#include <futon/core/driver/await.hpp>
#include <futon/core/driver/block.hpp>
#include <futon/detail/thread_safety.hpp>
#include <futon/fairness.hpp>
#include <futon/limits.hpp>
#include <futon/promise.hpp>
#include <futon/sync/async_lock.hpp>

namespace futon {

/// A value that is reachable only while its lock is held. Use it wherever one lock protects one value: no access can
/// forget the lock.
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
    auto with_lock(F&& f);
    template <class F>
    auto with_lock(F&& f) const;

    /// Runs `f(value)` while holding the lock: at once if it is free, else later, on this agent's executor. If `f`
    /// returns a promise, the lock is held until that promise settles.
    ///
    /// Returns  as AsyncLock::execute_locked
    /// Cancel   as AsyncLock::execute_locked
    /// Throws   as AsyncLock::execute_locked
    template <class F>
    auto with_lock_async(F f);
    template <class F>
    auto with_lock_async(F f) const;

    /// Locks, and gives access to the value until the Access goes out of scope. If the limits are over first,
    /// the Access has no access, and says why.
    ///
    ///     if (auto list = scores.lock(5ms)) list->push_back(7);
    ///
    /// Threads  agents that may block.
    /// Throws   BlockingForbidden if the agent may not block, even if the lock is free
    Access<T> lock(const Limits& limits = {}) { return core::block(locking(), limits); }
    Access<const T> lock(const Limits& limits = {}) const { return core::block(locking(), limits); }

    /// Gives access if the lock is free, without waiting. Any agent.
    Access<T> try_lock() noexcept;
    Access<const T> try_lock() const noexcept;

    /// `lock` for coroutines: `co_await` gives an Access, on this agent.
    ///
    /// Throws  when awaited: NoExecutor if the thread has no executor, or if there is a deadline and the executor keeps
    ///         no timers
    auto lock_async(Limits limits = {}) { return core::await(locking(), std::move(limits)); }
    auto lock_async(Limits limits = {}) const { return core::await(locking(), std::move(limits)); }

    /// `lock` as an operation, for `select` and the drivers of `core`. Yields an Access.
    Acquiring<T> locking() noexcept;
    Acquiring<const T> locking() const noexcept;

private:
    template <class Self>
    static auto access_now(Self& self) noexcept;

    /// The address alone, for functions that lock before they use it.
    T& value() noexcept FUTON_NO_THREAD_SAFETY_ANALYSIS { return value_; }
    const T& value() const noexcept FUTON_NO_THREAD_SAFETY_ANALYSIS { return value_; }

    mutable AsyncLock lock_;
    T value_ FUTON_GUARDED_BY(lock_){};
};

}  // namespace futon

#include <futon/sync/guarded_access.hpp>  // Access, and what yields it

#include <futon/detail/end.hpp>
