// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/detail/thread_safety.hpp>
#include <futon/sync/async_lock.hpp>

namespace futon {

/// Locks, and unlocks at the end of its scope: a `std::lock_guard` that clang's thread-safety analysis can follow, which it
/// cannot where the standard library has no annotations.
///
///     const futon::BlockingGuard hold(account.lock);
///     ++account.balance;
///
/// Blocks   until the lock is free.
/// Threads  agents that may block.
/// Throws   BlockingForbidden on an agent that may not, before it looks at the lock
class [[nodiscard]] FUTON_SCOPED_CAPABILITY BlockingGuard {
public:
    explicit BlockingGuard(AsyncLock& lock) FUTON_ACQUIRE(lock) : lock_(lock) { lock_.lock(); }
    ~BlockingGuard() FUTON_RELEASE() { lock_.try_unlock(); }
    BlockingGuard(const BlockingGuard&) = delete;
    BlockingGuard& operator=(const BlockingGuard&) = delete;

private:
    AsyncLock& lock_;
};

/// Tells clang's thread-safety analysis that the lock is held from here on, where it cannot see that: under a guard that was
/// awaited or chosen, under one of the standard library, in a function that `execute_locked` calls.
///
/// Requires  the caller owns the lock. It is not checked.
/// Cost      none.
inline void assume_held(const AsyncLock& lock) noexcept FUTON_ASSERT_HELD(lock) {
    static_cast<void>(lock);
}

}  // namespace futon

#include <futon/detail/end.hpp>
