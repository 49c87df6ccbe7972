// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <cstddef>

#include <futon/core/driver/block.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/sync/lock_sequence.hpp>
#include <futon/detail/sync/require_can_block.hpp>
#include <futon/limits.hpp>
#include <futon/sync/async_lock.hpp>
#include <futon/sync/lock_all.hpp>
#include <futon/wait_result.hpp>

// How threads lock several AsyncLocks.
namespace futon {

namespace detail {
/// Throws std::system_error (operation_not_permitted).
[[noreturn]] FUTON_API void throw_owns_no_locks();
}  // namespace detail

template <std::size_t count>
void MultiGuard<count>::unlock() {
    if (!owns_locks()) [[unlikely]]
        detail::throw_owns_no_locks();
    for (AsyncLock::Guard& guard : guards_) guard.unlock();
}

template <std::same_as<AsyncLock>... Locks>
    requires(sizeof...(Locks) > 0)
auto lock_all(const Limits& limits, Locks&... locks) -> MultiGuard<sizeof...(Locks)> {
    detail::require_can_block("futon::lock_all");
    detail::LockSequence<sizeof...(Locks)> sequence({&locks...});
    const Limits shared = limits.from_now();  // by all the waits
    WaitResult result = WaitResult::ok;
    while (result == WaitResult::ok && !sequence.is_complete()) {
        result = sequence.next().lock(shared);
        if (result == WaitResult::ok) sequence.add();
    }
    return sequence.take(result);
}
template <std::same_as<AsyncLock>... Locks>
    requires(sizeof...(Locks) > 0)
auto lock_all(Locks&... locks) -> MultiGuard<sizeof...(Locks)> {
    return lock_all(Limits(), locks...);
}

template <std::same_as<AsyncLock>... Locks>
    requires(sizeof...(Locks) > 0)
auto try_lock_all(Locks&... locks) -> MultiGuard<sizeof...(Locks)> {
    detail::LockSequence<sizeof...(Locks)> sequence({&locks...});
    return sequence.take(sequence.try_rest() ? WaitResult::ok : WaitResult::timed_out);
}

}  // namespace futon

#include <futon/detail/end.hpp>
