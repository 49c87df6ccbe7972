// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>
#include <mutex>
#include <utility>

#include <futon/core/operation/arbiter.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/core/probe.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/sync/shared_lock_word.hpp>
#include <futon/detail/thread_safety.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/limits.hpp>
#include <futon/sync/shared_lock.hpp>
#include <futon/sync/shared_lock_guards.hpp>
#include <futon/wait_result.hpp>

// The operations of a SharedLock, and how threads get its guards and release them.
namespace futon {

/// "Lock it" as an operation.
class FUTON_API FUTON_WARN_UNUSED SharedLock::Locking : public core::Arbiter<detail::SharedLockRules>::Request {
public:
    using Result = Guard;
    static constexpr const char* name = "futon::SharedLock::lock";

    Guard result(core::Ending ending) noexcept FUTON_NO_THREAD_SAFETY_ANALYSIS {
        end();
        if (core::to_wait_result(ending) != WaitResult::ok) return Guard(core::to_wait_result(ending));
        core::probe::acquired(key(), core::probe::Hold::exclusive);
        return Guard(lock_, std::adopt_lock);
    }
    bool try_now() noexcept;
    bool try_spinning() noexcept;
    void queued() noexcept;

private:
    friend class SharedLock;

    explicit Locking(SharedLock& lock) noexcept : Request(lock.word_, Word::exclusive_mode), lock_(lock) {}

    SharedLock& lock_;
};

/// "Lock it shared" as an operation.
class FUTON_API FUTON_WARN_UNUSED SharedLock::LockingShared : public core::Arbiter<detail::SharedLockRules>::Request {
public:
    using Result = SharedGuard;
    static constexpr const char* name = "futon::SharedLock::lock_shared";

    SharedGuard result(core::Ending ending) noexcept FUTON_NO_THREAD_SAFETY_ANALYSIS {
        end();
        if (core::to_wait_result(ending) != WaitResult::ok) return SharedGuard(core::to_wait_result(ending));
        core::probe::acquired(key(), core::probe::Hold::shared);
        return SharedGuard(lock_, std::adopt_lock);
    }
    bool try_now() noexcept;
    void give_back(core::WakeToken token) noexcept;

private:
    friend class SharedLock;

    explicit LockingShared(SharedLock& lock) noexcept : Request(lock.word_, Word::shared_mode), lock_(lock) {}

    SharedLock& lock_;
};

/// "Lock it upgradeable" as an operation.
class FUTON_API FUTON_WARN_UNUSED SharedLock::LockingUpgradeable
    : public core::Arbiter<detail::SharedLockRules>::Request {
public:
    using Result = UpgradeableGuard;
    static constexpr const char* name = "futon::SharedLock::lock_upgradeable";

    UpgradeableGuard result(core::Ending ending) noexcept FUTON_NO_THREAD_SAFETY_ANALYSIS {
        end();
        if (core::to_wait_result(ending) != WaitResult::ok) return UpgradeableGuard(core::to_wait_result(ending));
        core::probe::acquired(key(), core::probe::Hold::upgradeable);
        return UpgradeableGuard(lock_, std::adopt_lock);
    }

private:
    friend class SharedLock;

    explicit LockingUpgradeable(SharedLock& lock) noexcept : Request(lock.word_, Word::upgradeable_mode), lock_(lock) {}

    SharedLock& lock_;
};

/// "Make the upgradeable hold exclusive": an operation, except for its name and its result.
class FUTON_API SharedLock::UpgradeRequest {
public:
    explicit UpgradeRequest(SharedLock& lock) noexcept : lock_(lock) {}

    const void* key() const noexcept { return lock_.get() == nullptr ? nullptr : lock_->word_.upgrade_key(); }
    bool try_now() noexcept;
    bool try_spinning() noexcept;
    core::WaitCheck check() noexcept;
    void queued() noexcept;
    void left() noexcept;
    bool woken(core::WakeToken token) noexcept;
    void give_back(core::WakeToken token) noexcept;

protected:
    /// The lock that is being upgraded.
    SharedLock& lock() const noexcept { return *lock_; }

    /// Throws std::system_error (operation_not_permitted) if the upgrade was refused.
    void require_permitted() {
        if (is_refused_) [[unlikely]]
            throw_refused();
    }

private:
    friend class SharedLock;

    static bool must_wait(void* key, std::uint64_t request) noexcept;
    void give_up() noexcept;
    [[noreturn]] void throw_refused();
    Word& word() const noexcept { return lock_->word_; }

    core::Target<SharedLock> lock_;
    bool keeps_readers_out_ = false;  // it has set `upgrading`
    bool is_refused_ = false;         // when it would have waited: not held upgradeable, or another upgrade waited
};

/// "Upgrade" as an operation on a lock: the caller's hold changes.
class FUTON_API FUTON_WARN_UNUSED SharedLock::Upgrading : public UpgradeRequest {
public:
    using Result = WaitResult;
    static constexpr const char* name = "futon::SharedLock::upgrade";

    WaitResult result(core::Ending ending) {
        require_permitted();
        return core::to_wait_result(ending);
    }

private:
    friend class SharedLock;
    using UpgradeRequest::UpgradeRequest;
};

/// "Upgrade" as an operation on a guard.
class FUTON_API FUTON_WARN_UNUSED SharedLock::UpgradeableGuard::Upgrading : public UpgradeRequest {
public:
    using Result = Guard;
    static constexpr const char* name = SharedLock::Upgrading::name;

    Guard result(core::Ending ending) FUTON_NO_THREAD_SAFETY_ANALYSIS {
        require_permitted();
        if (core::to_wait_result(ending) != WaitResult::ok) return Guard(core::to_wait_result(ending));
        return Guard(*guard_.release(), std::adopt_lock);
    }

private:
    friend class UpgradeableGuard;
    Upgrading(SharedLock& lock, UpgradeableGuard& guard) noexcept : UpgradeRequest(lock), guard_(guard) {}

    UpgradeableGuard& guard_;
};

inline SharedLock::Locking SharedLock::locking() noexcept {
    return Locking(*this);
}
inline SharedLock::LockingShared SharedLock::locking_shared() {
    word_.require_room();
    return LockingShared(*this);
}
inline SharedLock::LockingUpgradeable SharedLock::locking_upgradeable() noexcept {
    return LockingUpgradeable(*this);
}
inline SharedLock::Upgrading SharedLock::upgrading() {
    word_.require_upgradeable(Upgrading::name);
    return Upgrading(*this);
}

inline SharedLock::Guard SharedLock::scoped_lock(const Limits& limits) {
    const WaitResult result = lock(limits);
    return result == WaitResult::ok ? Guard(*this, std::adopt_lock) : Guard(result);
}
inline SharedLock::SharedGuard SharedLock::scoped_lock_shared(const Limits& limits) {
    const WaitResult result = lock_shared(limits);
    return result == WaitResult::ok ? SharedGuard(*this, std::adopt_lock) : SharedGuard(result);
}
inline SharedLock::UpgradeableGuard SharedLock::scoped_lock_upgradeable(const Limits& limits) {
    const WaitResult result = lock_upgradeable(limits);
    return result == WaitResult::ok ? UpgradeableGuard(*this, std::adopt_lock) : UpgradeableGuard(result);
}

inline SharedLock::UpgradeableGuard::Upgrading SharedLock::UpgradeableGuard::upgrading() {
    SharedLock& lock = require_held("futon::SharedLock: upgrade of a guard that holds no lock");
    lock.word_.require_upgradeable(Upgrading::name);
    return Upgrading(lock, *this);
}
inline SharedLock::Guard SharedLock::UpgradeableGuard::try_upgrade() {
    SharedLock& lock = require_held("futon::SharedLock: try_upgrade of a guard that holds no lock");
    lock.word_.require_upgradeable("futon::SharedLock::try_upgrade");
    Upgrading upgrade(lock, *this);
    return upgrade.result(upgrade.try_now() ? core::Ending::at_once : core::Ending::timed_out);
}

template <std::uint64_t mode>
SharedLock::Holder<mode>& SharedLock::Holder<mode>::operator=(Holder&& other) noexcept {
    Holder taken(std::move(other));
    std::swap(lock_, taken.lock_);
    std::swap(result_, taken.result_);
    return *this;
}

template <std::uint64_t mode>
void SharedLock::Holder<mode>::unlock() {
    SharedLock& lock = held("futon::SharedLock: unlock of a guard that holds no lock");
    lock.template release<Word::Mode{mode}, core::Handoff::when_due>();
}
template <std::uint64_t mode>
void SharedLock::Holder<mode>::unlock_fair() {
    SharedLock& lock = held("futon::SharedLock: unlock_fair of a guard that holds no lock");
    lock.template release<Word::Mode{mode}, core::Handoff::now>();
}

template <std::uint64_t mode>
SharedLock& SharedLock::Holder<mode>::held(const char* what) {
    require_held(what);
    return *release();
}
template <std::uint64_t mode>
SharedLock& SharedLock::Holder<mode>::require_held(const char* what) const {
    if (lock_ == nullptr) [[unlikely]]
        Word::throw_not_held(what);
    return *lock_;
}

inline SharedLock::SharedGuard SharedLock::UpgradeableGuard::downgrade() {
    SharedLock& lock = require_held("futon::SharedLock: downgrade of a guard that holds no lock");
    lock.downgrade_upgradeable();  // if that throws, this guard still holds the lock
    release();
    return SharedGuard(lock, std::adopt_lock);
}

inline SharedLock::SharedGuard SharedLock::Guard::downgrade() {
    SharedLock& lock = held("futon::SharedLock: downgrade of a guard that holds no lock");
    lock.downgrade();
    return SharedGuard(lock, std::adopt_lock);
}
inline SharedLock::UpgradeableGuard SharedLock::Guard::downgrade_to_upgradeable() {
    SharedLock& lock = held("futon::SharedLock: downgrade of a guard that holds no lock");
    lock.downgrade_to_upgradeable();
    return UpgradeableGuard(lock, std::adopt_lock);
}

}  // namespace futon

#include <futon/detail/sync/shared_lock_tasks.hpp>  // how tasks lock it

#include <futon/detail/end.hpp>
