// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/detail/thread_safety.hpp>
#include <futon/sync/async_lock.hpp>

namespace futon {

/// Locks, and unlocks at the end of its scope: a `std::lock_guard` for clang's thread-safety analysis, which cannot
/// follow the standard guard if the standard library has no annotations.
///
///     const futon::BlockingGuard hold(account.lock);
///     ++account.balance;
///
/// Blocks   until the lock is free.
/// Threads  agents that may block.
/// Throws   BlockingForbidden if the agent may not block, even if the lock is free
class [[nodiscard]] FUTON_SCOPED_CAPABILITY BlockingGuard {
public:
    explicit BlockingGuard(AsyncLock& lock) FUTON_ACQUIRE(lock) : lock_(lock) { lock_.lock(); }
    ~BlockingGuard() FUTON_RELEASE() { lock_.try_unlock(); }
    BlockingGuard(const BlockingGuard&) = delete;
    BlockingGuard& operator=(const BlockingGuard&) = delete;

private:
    AsyncLock& lock_;
};

/// Tells clang's thread-safety analysis that the caller holds the lock. Use it where the analysis cannot see that:
/// under a guard that was awaited or selected, under a standard guard, and in a function that `execute_locked` calls.
///
///     lock.execute_locked([&] { futon::assume_held(lock); ++shared; });
///
/// Requires  the caller owns the lock. It is not checked.
/// Cost      none.
inline void assume_held(const AsyncLock& lock) noexcept FUTON_ASSERT_HELD(lock) {
    static_cast<void>(lock);
}

}  // namespace futon

#include <futon/detail/end.hpp>
