// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/deadline.hpp>
#include <futon/detail/chrono.hpp>
#include <futon/detail/sync/require_can_block.hpp>
#include <futon/detail/sync/time_points.hpp>
#include <futon/sync/shared_lock.hpp>
#include <futon/wait_result.hpp>

// A SharedLock under the names of std::shared_timed_mutex. Each function names itself in its errors.
namespace futon {

template <class R, class P>
bool SharedLock::try_lock_for(std::chrono::duration<R, P> time) {
    detail::require_can_block("futon::SharedLock::try_lock_for");
    return lock(time) == WaitResult::ok;
}

template <class R, class P>
bool SharedLock::try_lock_shared_for(std::chrono::duration<R, P> time) {
    detail::require_can_block("futon::SharedLock::try_lock_shared_for");
    return lock_shared(time) == WaitResult::ok;
}

template <class R, class P>
bool SharedLock::try_lock_upgradeable_for(std::chrono::duration<R, P> time) {
    detail::require_can_block("futon::SharedLock::try_lock_upgradeable_for");
    return lock_upgradeable(time) == WaitResult::ok;
}

template <class R, class P>
bool SharedLock::try_upgrade_for(std::chrono::duration<R, P> time) {
    detail::require_can_block("futon::SharedLock::try_upgrade_for");
    return upgrade(time) == WaitResult::ok;
}

template <class Time>
bool SharedLock::try_lock_until(const Time& time) {
    detail::require_can_block("futon::SharedLock::try_lock_until");
    return detail::until(time, [this](Deadline deadline) { return lock(deadline); });
}

template <class Time>
bool SharedLock::try_lock_shared_until(const Time& time) {
    detail::require_can_block("futon::SharedLock::try_lock_shared_until");
    return detail::until(time, [this](Deadline deadline) { return lock_shared(deadline); });
}

template <class Time>
bool SharedLock::try_lock_upgradeable_until(const Time& time) {
    detail::require_can_block("futon::SharedLock::try_lock_upgradeable_until");
    return detail::until(time, [this](Deadline deadline) { return lock_upgradeable(deadline); });
}

template <class Time>
bool SharedLock::try_upgrade_until(const Time& time) {
    detail::require_can_block("futon::SharedLock::try_upgrade_until");
    return detail::until(time, [this](Deadline deadline) { return upgrade(deadline); });
}

}  // namespace futon

#include <futon/detail/end.hpp>
