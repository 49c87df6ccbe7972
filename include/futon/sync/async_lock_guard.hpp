// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <mutex>
#include <utility>

#include <futon/core/probe.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/thread_safety.hpp>
#include <futon/sync/async_lock.hpp>
#include <futon/wait_result.hpp>

namespace futon {

/// Owns a lock and unlocks it at the end of its scope; or owns none, and says why. Use it wherever the function that
/// locks also unlocks, however it returns. A coroutine may keep it across `co_await`.
///
///     if (auto guard = lock.scoped_lock(5ms)) ++shared;
///     else log(to_string(guard.result()));
///
/// It cannot be copied. What it is moved from owns no lock. A `Condition` releases the guard's lock while it waits, and
/// acquires it again. To unlock elsewhere, `release` it, and adopt the lock there.
class [[nodiscard]] FUTON_API AsyncLock::Guard {
public:
    /// Adopts a lock that the caller has locked.
    Guard(AsyncLock& lock, std::adopt_lock_t) noexcept FUTON_RELEASE(lock) : lock_(&lock) {
        core::probe::guarded(&lock, true);
    }

    /// A guard that owns no lock, for this reason.
    explicit Guard(WaitResult failure) noexcept : result_(failure) {}

    Guard(Guard&& other) noexcept : lock_(std::exchange(other.lock_, nullptr)), result_(other.result_) {}
    Guard& operator=(Guard&& other) noexcept;
    ~Guard();

    /// Whether the guard owns the lock, and will unlock it.
    bool owns_lock() const noexcept { return lock_ != nullptr; }
    explicit operator bool() const noexcept { return owns_lock(); }

    /// `ok` if the lock was acquired, else `timed_out` or `cancelled`.
    WaitResult result() const noexcept { return result_; }

    /// Unlocks before the end of the scope. Throws std::system_error (operation_not_permitted) if the guard owns no
    /// lock.
    void unlock() FUTON_NO_THREAD_SAFETY_ANALYSIS;

    /// The same by `AsyncLock::unlock_fair`.
    void unlock_fair() FUTON_NO_THREAD_SAFETY_ANALYSIS;

    /// Gives up ownership without unlocking. Returns the lock, which the caller must unlock; null if the guard owned
    /// none.
    AsyncLock* release() noexcept {
        if (lock_ != nullptr) core::probe::guarded(lock_, false);
        return std::exchange(lock_, nullptr);
    }

private:
    AsyncLock* lock_ = nullptr;
    WaitResult result_ = WaitResult::ok;
};

}  // namespace futon

#include <futon/detail/sync/async_lock_operation.hpp>  // what yields it

#include <futon/detail/end.hpp>
