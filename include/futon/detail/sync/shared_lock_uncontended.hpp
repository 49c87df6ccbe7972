// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <type_traits>

#include <futon/core/operation/arbiter.hpp>
#include <futon/core/probe.hpp>
#include <futon/detail/lock_order.hpp>
#include <futon/detail/sync/require_can_block.hpp>
#include <futon/detail/sync/shared_lock_word.hpp>
#include <futon/fairness.hpp>
#include <futon/limits.hpp>
#include <futon/sync/shared_lock.hpp>
#include <futon/wait_result.hpp>

// The uncontended half of a SharedLock, which programs inline: it is locked and unlocked without a waiter.
namespace futon {

static_assert(sizeof(SharedLock) == 8);
#ifndef FUTON_TELL_LOCK_ORDER
static_assert(std::is_trivially_destructible_v<SharedLock> || core::probe::is_enabled);
#endif

namespace detail {

inline bool tried(SharedLock& lock, bool is_locked) noexcept {
    if (is_locked) LockOrder::locked(&lock);
    return is_locked;
}

/// Reports to the lock-order check: a wait that only the lock ends, and what it has locked.
template <class Acquire>
WaitResult ordered(SharedLock& lock, const Limits& limits, Acquire acquire) {
    if (!limits.has_deadline()) LockOrder::before_lock(&lock);
    const WaitResult result = acquire();
    if (result == WaitResult::ok) LockOrder::locked(&lock);
    return result;
}

}  // namespace detail

constexpr SharedLock::SharedLock(Fairness fairness) noexcept : word_(fairness) {
    detail::LockOrder::made(this);
}
#ifdef FUTON_TELL_LOCK_ORDER
constexpr SharedLock::~SharedLock() {
    detail::LockOrder::ended(this);
}
#endif

inline void SharedLock::lock() {
    detail::require_can_block("futon::SharedLock::lock");
    detail::LockOrder::before_lock(this);
    if (!word_.take_exclusive()) [[unlikely]]
        static_cast<void>(lock_contended({}));
    detail::LockOrder::locked(this);
}
inline WaitResult SharedLock::lock(const Limits& limits) {
    detail::require_can_block("futon::SharedLock::lock");
    return detail::ordered(*this, limits,
                           [&] { return word_.take_exclusive() ? WaitResult::ok : lock_contended(limits); });
}

inline void SharedLock::lock_shared() {
    detail::require_can_block("futon::SharedLock::lock_shared");
    detail::LockOrder::before_lock(this);
    if (!word_.take_shared()) [[unlikely]]
        static_cast<void>(lock_shared_contended({}));
    detail::LockOrder::locked(this);
}
inline WaitResult SharedLock::lock_shared(const Limits& limits) {
    detail::require_can_block("futon::SharedLock::lock_shared");
    return detail::ordered(*this, limits,
                           [&] { return word_.take_shared() ? WaitResult::ok : lock_shared_contended(limits); });
}

inline void SharedLock::lock_upgradeable() {
    static_cast<void>(lock_upgradeable({}));
}
inline WaitResult SharedLock::lock_upgradeable(const Limits& limits) {
    detail::require_can_block("futon::SharedLock::lock_upgradeable");
    return detail::ordered(
        *this, limits, [&] { return word_.take_upgradeable() ? WaitResult::ok : lock_upgradeable_contended(limits); });
}

inline void SharedLock::upgrade() {
    static_cast<void>(upgrade({}));
}

inline bool SharedLock::try_lock() noexcept {
    return detail::tried(*this, word_.try_exclusive());
}
inline bool SharedLock::try_lock_shared() noexcept {
    return detail::tried(*this, word_.try_shared());
}
inline bool SharedLock::try_lock_upgradeable() noexcept {
    return detail::tried(*this, word_.try_upgradeable());
}

/// Returns false if the lock is not held in this mode; nothing changes then.
template <SharedLock::Word::Mode mode, core::Handoff handoff>
bool SharedLock::release() noexcept {
    constexpr bool is_shared = mode == Word::shared_mode;
    constexpr bool is_exclusive = mode == Word::exclusive_mode;
    if constexpr (handoff == core::Handoff::now) {
        core::probe::releasing(&word_, is_shared      ? core::probe::Hold::shared
                                       : is_exclusive ? core::probe::Hold::exclusive
                                                      : core::probe::Hold::upgradeable);
        detail::LockOrder::unlocking(this);
        return word_.release_contended(mode,
                                       is_shared      ? Word::readers
                                       : is_exclusive ? Word::exclusive
                                                      : Word::upgradeable,
                                       handoff);
    } else {
        detail::LockOrder::unlocking(this);
        return is_shared ? word_.release_shared() : is_exclusive ? word_.release() : word_.release_upgradeable();
    }
}

inline void SharedLock::unlock() {
    if (!release<Word::exclusive_mode, core::Handoff::when_due>()) [[unlikely]]
        Word::throw_not_held("futon::SharedLock::unlock: the lock is not held exclusively");
}
inline void SharedLock::unlock_shared() {
    if (!release<Word::shared_mode, core::Handoff::when_due>()) [[unlikely]]
        Word::throw_not_held("futon::SharedLock::unlock_shared: the lock is not held shared");
}
inline void SharedLock::unlock_upgradeable() {
    if (!release<Word::upgradeable_mode, core::Handoff::when_due>()) [[unlikely]]
        Word::throw_not_held("futon::SharedLock::unlock_upgradeable: the lock is not held upgradeable");
}

inline void SharedLock::unlock_fair() {
    if (!release<Word::exclusive_mode, core::Handoff::now>()) [[unlikely]]
        Word::throw_not_held("futon::SharedLock::unlock_fair: the lock is not held exclusively");
}
inline void SharedLock::unlock_shared_fair() {
    if (!release<Word::shared_mode, core::Handoff::now>()) [[unlikely]]
        Word::throw_not_held("futon::SharedLock::unlock_shared_fair: the lock is not held shared");
}
inline void SharedLock::unlock_upgradeable_fair() {
    if (!release<Word::upgradeable_mode, core::Handoff::now>()) [[unlikely]]
        Word::throw_not_held("futon::SharedLock::unlock_upgradeable_fair: the lock is not held upgradeable");
}

}  // namespace futon

#include <futon/detail/end.hpp>
