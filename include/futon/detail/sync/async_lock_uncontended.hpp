// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>
#include <type_traits>

#include <futon/agent.hpp>
#include <futon/core/probe.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/detail/chrono.hpp>
#include <futon/detail/lock_order.hpp>
#include <futon/detail/sync/time_points.hpp>
#include <futon/detail/this_thread.hpp>
#include <futon/fairness.hpp>
#include <futon/limits.hpp>
#include <futon/sync/async_lock.hpp>
#include <futon/wait_result.hpp>

// The uncontended half of an AsyncLock, which programs inline: it is locked and unlocked without a waiter.
//
// The word belongs to the arbiter: see `core::ArbiterBase`. While the lock is uncontended, it is `free` or `held` and
// nothing else. If any other bit is set, these functions fail, and those for contention do the work; but a thread that has
// just released the lock, and has left it with waiters that another thread looks after, takes it again here.
namespace futon {

static_assert(sizeof(AsyncLock) == 4);
#ifndef FUTON_TELL_LOCK_ORDER
static_assert(std::is_trivially_destructible_v<AsyncLock> || core::probe::is_enabled);
#endif

constexpr AsyncLock::AsyncLock(Fairness fairness) noexcept : Arbiter(free, fairness) {
    detail::LockOrder::made(this);
}
#ifdef FUTON_TELL_LOCK_ORDER
constexpr AsyncLock::~AsyncLock() {
    detail::LockOrder::ended(this);
}
#endif

inline void AsyncLock::require_can_block(const char* what) {
    if (!detail::this_thread_can_block()) [[unlikely]]
        detail::throw_blocking_forbidden(what);
}

/// Takes the lock if the word is what this thread expects of a free one: a guess, for a load would take the cache line twice. `seen`
/// is `free` before; if this fails, it is what the word was.
inline bool AsyncLock::try_lock_expected(std::uint32_t& seen) noexcept {
    if (const detail::ReleaseNotes& notes = detail::release_notes(); notes.word == this) seen = notes.left;
    return word_.compare_exchange_strong(seen, seen | held, std::memory_order_acquire,  // [lock-release]
                                         std::memory_order_relaxed);                    // the contended half retries
}

inline WaitResult AsyncLock::lock_limited(const Limits& limits) {
    if (!limits.has_deadline()) detail::LockOrder::before_lock(this);
    const WaitResult result = lock_until(limits);
    if (result == WaitResult::ok) detail::LockOrder::locked(this);
    return result;
}

inline void AsyncLock::lock() {
    require_can_block("futon::AsyncLock::lock");
    detail::LockOrder::before_lock(this);
    std::uint32_t seen = free;
    if (try_lock_expected(seen)) [[likely]] {
        core::probe::acquired(this, core::probe::Hold::lock);
    } else {
        lock_contended(seen);
    }
    detail::LockOrder::locked(this);
}

inline WaitResult AsyncLock::lock(const Limits& limits) {
    require_can_block("futon::AsyncLock::lock");
    return lock_limited(limits);
}

template <class Rep, class Period>
bool AsyncLock::try_lock_for(std::chrono::duration<Rep, Period> time) {
    require_can_block("futon::AsyncLock::try_lock_for");
    return try_lock_until(Deadline(time));
}

inline bool AsyncLock::try_lock_until(Deadline time) {
    require_can_block("futon::AsyncLock::try_lock_until");
    return lock_limited(time) == WaitResult::ok;
}

template <class Clock, class Duration>
bool AsyncLock::try_lock_until(const std::chrono::time_point<Clock, Duration>& time) {
    require_can_block("futon::AsyncLock::try_lock_until");
    return detail::until(time, [this](Deadline deadline) { return lock_limited(deadline); });
}

inline bool AsyncLock::try_lock() noexcept {
    std::uint32_t seen = free;
    const bool is_locked = try_lock_expected(seen) || try_lock_contended(seen);
    if (is_locked) {
        core::probe::acquired(this, core::probe::Hold::lock, 1, core::probe::Way::tried);
        detail::LockOrder::locked(this);
    }
    return is_locked;
}

inline void AsyncLock::unlock() {
    if (!try_unlock()) [[unlikely]]
        throw_not_held("futon::AsyncLock::unlock: the lock is not held");
}

inline bool AsyncLock::try_unlock() noexcept {
    core::probe::releasing(this, core::probe::Hold::lock);
    detail::LockOrder::unlocking(this);
    std::uint32_t seen = held;  // unless this thread has noted that it is more than that
    return (detail::release_notes().word != this &&
            word_.compare_exchange_strong(seen, free, std::memory_order_release,  // [lock-release]
                                          std::memory_order_relaxed)) ||          // the contended half retries
           unlock_contended();
}

inline void AsyncLock::unlock_fair() {
    if (!try_unlock_fair()) [[unlikely]]
        throw_not_held("futon::AsyncLock::unlock_fair: the lock is not held");
}

inline bool AsyncLock::take_abandonment() noexcept {
    const bool is_abandoned = (word_.load(std::memory_order_relaxed) & abandoned) != 0;  // the lock orders it
    if (is_abandoned) word_.fetch_and(~abandoned, std::memory_order_relaxed);            // only the owner clears it
    return is_abandoned;
}

}  // namespace futon

#include <futon/detail/end.hpp>
