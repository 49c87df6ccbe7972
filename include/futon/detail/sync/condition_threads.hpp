// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <utility>

#include <futon/deadline.hpp>
#include <futon/detail/lock_order.hpp>
#include <futon/detail/sync/require_can_block.hpp>
#include <futon/detail/thread_safety.hpp>
#include <futon/limits.hpp>
#include <futon/sync/async_lock.hpp>
#include <futon/sync/condition.hpp>
#include <futon/wait_result.hpp>

// How threads wait at a Condition: with the lock in a guard, for as long as they wait.
namespace futon {

namespace detail {

inline AsyncLock::Guard guard_of(std::unique_lock<AsyncLock>& lock) noexcept FUTON_NO_THREAD_SAFETY_ANALYSIS {
    return AsyncLock::Guard(*lock.release(), std::adopt_lock);
}
inline AsyncLock::Guard guard_of(AsyncLock::Guard& guard) noexcept {
    return std::move(guard);
}

inline void put_back(std::unique_lock<AsyncLock>& lock, AsyncLock::Guard guard) FUTON_NO_THREAD_SAFETY_ANALYSIS {
    AsyncLock& owned = *guard.release();
    LockOrder::locked(&owned);
    lock = std::unique_lock(owned, std::adopt_lock);
}
inline void put_back(AsyncLock::Guard& owner, AsyncLock::Guard guard) noexcept {
    owner = std::move(guard);
}

/// Puts back the lock that a refused wait has kept throughout.
inline void put_back_kept(std::unique_lock<AsyncLock>& lock, AsyncLock::Guard kept) FUTON_NO_THREAD_SAFETY_ANALYSIS {
    if (kept.owns_lock()) lock = std::unique_lock(*kept.release(), std::adopt_lock);
}
inline void put_back_kept(AsyncLock::Guard& owner, AsyncLock::Guard kept) noexcept {
    owner = std::move(kept);
}

}  // namespace detail

inline AsyncLock* Condition::lock_of(std::unique_lock<AsyncLock>& lock) noexcept {
    return lock.owns_lock() ? lock.mutex() : nullptr;
}

template <LockOwner Lock>
WaitResult Condition::wait(Lock& lock, const Limits& limits) {
    detail::require_can_block("futon::Condition::wait");
    require_usable(lock_of(lock));
    AsyncLock::Guard guard = detail::guard_of(lock);
    try {
        const WaitResult result = wait_with(guard, limits);
        detail::put_back(lock, std::move(guard));
        return result;
    } catch (...) {
        detail::put_back_kept(lock, std::move(guard));
        throw;
    }
}

template <LockOwner Lock, std::predicate Holds>
PredicateResult Condition::wait(Lock& lock, Holds holds, const Limits& limits) {
    detail::require_can_block("futon::Condition::wait");
    require_usable(lock_of(lock));
    const Limits shared = limits.from_now();  // by all the waits
    while (!holds()) {
        const WaitResult result = wait(lock, shared);
        const bool is_late = result == WaitResult::ok && shared.deadline().is_due();
        if (result != WaitResult::ok || is_late)
            return {static_cast<bool>(holds()), is_late ? WaitResult::timed_out : result};
    }
    return {true, WaitResult::ok};
}

}  // namespace futon

#include <futon/detail/sync/condition_std_names.hpp>  // as std::condition_variable_any

#include <futon/detail/end.hpp>
