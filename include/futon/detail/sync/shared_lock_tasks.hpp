// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <type_traits>
#include <utility>

#include <futon/agent.hpp>
#include <futon/core/driver/await.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/sync/execute_holding.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/limits.hpp>
#include <futon/promise.hpp>
#include <futon/sync/locked_result.hpp>
#include <futon/sync/shared_lock.hpp>
#include <futon/sync/shared_lock_guards.hpp>

// How tasks lock a SharedLock: its awaitables, and functions that run while it is held.
namespace futon {

/// What the awaitables have in common: `co_await` gives the operation's result.
template <class Op>
class FUTON_WARN_UNUSED [[nodiscard("nothing is locked before it is awaited: write co_await")]] SharedLock::Acquisition
    : public core::Await<Op> {
public:
    using core::Await<Op>::Await;
};

/// What `lock_async` and its kin return: `co_await` gives nothing.
template <class Op>
class FUTON_WARN_UNUSED [[nodiscard("nothing is locked before it is awaited: write co_await")]] SharedLock::Holding
    : private core::Await<Op> {
public:
    explicit Holding(Op op) : core::Await<Op>(std::move(op), Limits()) {}

    using core::Await<Op>::await_ready;
    using core::Await<Op>::await_suspend;
    void await_resume() {
        if (core::Await<Op>::await_resume().release() == nullptr) throw_agent_ended(Op::name);
    }
};

inline SharedLock::Holding<SharedLock::Locking> SharedLock::lock_async() {
    return Holding<Locking>(locking());
}
inline SharedLock::Holding<SharedLock::LockingShared> SharedLock::lock_shared_async() {
    return Holding<LockingShared>(locking_shared());
}
inline SharedLock::Holding<SharedLock::LockingUpgradeable> SharedLock::lock_upgradeable_async() {
    return Holding<LockingUpgradeable>(locking_upgradeable());
}

inline SharedLock::Acquisition<SharedLock::Locking> SharedLock::scoped_lock_async(Limits limits) {
    return {locking(), std::move(limits)};
}
inline SharedLock::Acquisition<SharedLock::LockingShared> SharedLock::scoped_lock_shared_async(Limits limits) {
    return {locking_shared(), std::move(limits)};
}
inline SharedLock::Acquisition<SharedLock::LockingUpgradeable> SharedLock::scoped_lock_upgradeable_async(
    Limits limits) {
    return {locking_upgradeable(), std::move(limits)};
}
inline SharedLock::Acquisition<SharedLock::Upgrading> SharedLock::upgrade_async(Limits limits) {
    return {upgrading(), std::move(limits)};
}

inline SharedLock::Acquisition<SharedLock::UpgradeableGuard::Upgrading> SharedLock::UpgradeableGuard::upgrade_async(
    Limits limits) {
    return {upgrading(), std::move(limits)};
}

template <class F>
auto SharedLock::execute_locked(F f) -> Promise<LockedResult<F>> {
    Agent::current().require_executor_for_wait("futon::SharedLock::execute_locked");
    return detail::execute_holding(locking(), std::move(f));
}

template <class F>
auto SharedLock::execute_locked_shared(F f) -> Promise<LockedResult<F>> {
    Agent::current().require_executor_for_wait("futon::SharedLock::execute_locked_shared");
    return detail::execute_holding(locking_shared(), std::move(f));
}

// The waiting code of tasks is compiled once, in the library: see src/sync/awaits.cpp.
extern template class core::Await<SharedLock::Locking>::Waiting;
extern template class core::Await<SharedLock::LockingShared>::Waiting;
extern template class core::Await<SharedLock::LockingUpgradeable>::Waiting;
extern template class core::Await<SharedLock::Upgrading>::Waiting;
extern template class core::Await<SharedLock::UpgradeableGuard::Upgrading>::Waiting;

}  // namespace futon

#include <futon/detail/end.hpp>
