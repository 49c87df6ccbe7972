// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>
#include <mutex>
#include <utility>

#include <futon/core/probe.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/thread_safety.hpp>
#include <futon/limits.hpp>
#include <futon/sync/shared_lock.hpp>
#include <futon/wait_result.hpp>

// The guards of a SharedLock.
namespace futon {

/// The common part of the guards. A guard holds the lock in its mode and unlocks at the end of its scope; or holds
/// nothing, and says why. Use one wherever the function that locks also unlocks, however it returns.
///
///     if (auto reader = lock.scoped_lock_shared(5ms)) use(table);
///     else log(to_string(reader.result()));
///
/// It cannot be copied. What it is moved from holds nothing. A coroutine may keep it across `co_await`. To unlock
/// elsewhere, `release` it, and adopt the lock there in a guard of the same mode.
template <std::uint64_t mode>
class [[nodiscard]] SharedLock::Holder {
public:
    /// Whether the guard holds the lock in its mode.
    bool owns_lock() const noexcept { return lock_ != nullptr; }
    explicit operator bool() const noexcept { return owns_lock(); }

    /// `ok` if the lock was acquired, else `timed_out` or `cancelled`.
    WaitResult result() const noexcept { return result_; }

    /// Unlocks before the end of the scope. Throws std::system_error (operation_not_permitted) if the guard holds
    /// nothing.
    void unlock();

    /// The same by the lock's `unlock_fair`, `unlock_shared_fair` or `unlock_upgradeable_fair`.
    void unlock_fair();

    /// Gives up the hold without unlocking. Returns the lock, which the caller must unlock; null if the guard held
    /// nothing.
    SharedLock* release() noexcept {
        if (lock_ != nullptr) tell(false);
        return std::exchange(lock_, nullptr);
    }

protected:
    explicit Holder(SharedLock& lock) noexcept : lock_(&lock) { tell(true); }
    explicit Holder(WaitResult failure) noexcept : result_(failure) {}
    Holder(Holder&& other) noexcept : lock_(std::exchange(other.lock_, nullptr)), result_(other.result_) {}
    Holder& operator=(Holder&& other) noexcept;
    ~Holder() {
        if (lock_ != nullptr) lock_->template release<Word::Mode{mode}, core::Handoff::when_due>();
    }

    /// The lock, which this guard no longer holds afterwards.
    SharedLock& held(const char* what);
    SharedLock& require_held(const char* what) const;

private:
    void tell(bool is_owned) const noexcept {
        if constexpr (mode != Word::shared_mode) core::probe::guarded(&lock_->word_, is_owned);
    }

    SharedLock* lock_ = nullptr;
    WaitResult result_ = WaitResult::ok;
};

/// Holds a lock shared, and unlocks it at the end of its scope.
///
///     auto reader = lock.scoped_lock_shared();
///     return table.find(name);   // other readers may be here, too
class [[nodiscard]] SharedLock::SharedGuard : public Holder<Word::shared_mode> {
public:
    /// Adopts a lock that the caller has locked shared.
    SharedGuard(SharedLock& lock, std::adopt_lock_t) noexcept FUTON_RELEASE_SHARED(lock) : Holder(lock) {}

    /// A guard that holds nothing, for this reason.
    explicit SharedGuard(WaitResult failure) noexcept : Holder(failure) {}

    // Near misses. Compilers quote the line that declares a deleted function, and with it the advice.
    // clang-format off
    void upgrade(const Limits& = {}) = delete;  // futon: a shared hold is not upgraded: write lock.scoped_lock_upgradeable() for the guard
    void try_upgrade() = delete;  // futon: a shared hold is not upgraded: write lock.scoped_lock_upgradeable() for the guard
    void upgrade_async(const Limits& = {}) = delete;  // futon: a shared hold is not upgraded: write co_await lock.scoped_lock_upgradeable_async() for the guard
    // clang-format on
};

/// Holds a lock upgradeable, and unlocks it at the end of its scope. Use it where a reader may find that it must write:
/// unlike a reader that unlocks and locks again, it knows that nothing has changed in between.
///
///     auto reader = lock.scoped_lock_upgradeable();
///     if (!table.contains(name)) {
///         auto writer = reader.upgrade();
///         table.insert(name);
///     }
class [[nodiscard]] SharedLock::UpgradeableGuard : public Holder<Word::upgradeable_mode> {
public:
    class Upgrading;

    /// Adopts a lock that the caller has locked upgradeable; or holds nothing, for this reason.
    UpgradeableGuard(SharedLock& lock, std::adopt_lock_t) noexcept FUTON_RELEASE_SHARED(lock) : Holder(lock) {}
    explicit UpgradeableGuard(WaitResult failure) noexcept : Holder(failure) {}

    /// The upgrade, in each way of waiting: blocking, awaited, tried once, as an operation. It yields a guard. If that
    /// guard owns the exclusive hold, this holds nothing. If the upgrade failed, that guard says why, and this holds
    /// the lock as before.
    ///
    /// Throws    as SharedLock::upgrade; std::system_error (operation_not_permitted) if this guard holds nothing
    /// Requires  this guard is neither moved nor used until the upgrade is over.
    FUTON_API Guard upgrade(const Limits& limits = {});
    Acquisition<Upgrading> upgrade_async(Limits limits = {});
    Guard try_upgrade();
    Upgrading upgrading();

    /// Turns the hold into a shared one; this guard holds nothing afterwards. Throws as `unlock`.
    SharedGuard downgrade() FUTON_NO_THREAD_SAFETY_ANALYSIS;
};

/// Holds a lock exclusively, and unlocks it at the end of its scope.
///
///     auto writer = lock.scoped_lock();
///     table.insert(name);
///     auto reader = writer.downgrade();   // other readers enter, and no writer has come between
class [[nodiscard]] SharedLock::Guard : public Holder<Word::exclusive_mode> {
public:
    /// Adopts a lock that the caller has locked exclusively; or holds nothing, for this reason.
    Guard(SharedLock& lock, std::adopt_lock_t) noexcept FUTON_RELEASE(lock) : Holder(lock) {}
    explicit Guard(WaitResult failure) noexcept : Holder(failure) {}

    /// Turns the hold into a weaker one; this guard holds nothing afterwards. Throws as `unlock`.
    SharedGuard downgrade() FUTON_NO_THREAD_SAFETY_ANALYSIS;
    UpgradeableGuard downgrade_to_upgradeable() FUTON_NO_THREAD_SAFETY_ANALYSIS;
};

}  // namespace futon

#include <futon/detail/sync/shared_lock_operations.hpp>  // what yields them

#include <futon/detail/end.hpp>
