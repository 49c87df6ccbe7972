// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <utility>

#include <futon/limits.hpp>
#include <futon/sync/async_lock.hpp>
#include <futon/wait_result.hpp>

namespace futon {

/// Owns several locks and unlocks them at the end of its scope; or owns none, and says why. `lock_all` and its kin
/// return it.
///
///     if (auto both = futon::lock_all(5ms, from.lock, to.lock)) move_money(from, to);
///     else log(to_string(both.result()));
///
/// To unlock one of them earlier, split it: `auto [first, second] = std::move(both).split();`
template <std::size_t count>
class [[nodiscard]] MultiGuard {
public:
    /// A guard of each lock.
    using Guards = std::array<AsyncLock::Guard, count>;

    /// Takes over what the guards own: all of their locks, or none.
    MultiGuard(Guards guards, WaitResult result) noexcept : guards_(std::move(guards)), result_(result) {}

    /// Whether it owns all of its locks; else it owns none.
    bool owns_locks() const noexcept { return guards_[0].owns_lock(); }
    explicit operator bool() const noexcept { return owns_locks(); }

    /// `ok` if it owns the locks, else `timed_out` or `cancelled`.
    WaitResult result() const noexcept { return result_; }

    /// Unlocks all before the end of the scope. Throws std::system_error (operation_not_permitted) if it owns none.
    void unlock();

    /// Moves out one guard per lock, in the order of the arguments, to unlock the locks one by one. It owns none
    /// afterwards.
    Guards split() && noexcept { return std::move(guards_); }

private:
    Guards guards_;
    WaitResult result_;
};

template <std::size_t count>
class MultiAcquisition;

/// Locks several locks: all of them, or none. Use it where one change needs more than one lock. For locks of other kinds
/// use std::scoped_lock.
///
///     auto both = futon::lock_all(from.lock, to.lock);
///     auto both = futon::lock_all({5ms, stop}, from.lock, to.lock);   // limits come first, because the list is open
///
/// The locks are acquired in the order of their addresses, and those acquired are kept while the call waits for the
/// next. So calls of this and of `lock_all_async` do not deadlock, whatever the order of their arguments. Nor do they
/// deadlock with `std::scoped_lock` and `std::lock`, which keep no lock while they wait.
///
/// Returns   a MultiGuard that owns all of the locks, or none if the deadline or the stop came first
/// Threads   agents that may block
/// Throws    BlockingForbidden if the agent may not block; std::system_error (resource_deadlock_would_occur) if one
///           lock is named twice. No lock is touched then
/// Fairness  as each lock. Locks that are already acquired keep their other waiters waiting
/// Requires  the caller holds no lock that an owner of one of these may wait for
/// Cost      allocates nothing; a compare-exchange or two for each lock, if all are free
template <std::same_as<AsyncLock>... Locks>
    requires(sizeof...(Locks) > 0)
auto lock_all(const Limits& limits, Locks&... locks) -> MultiGuard<sizeof...(Locks)>;
template <std::same_as<AsyncLock>... Locks>
    requires(sizeof...(Locks) > 0)
auto lock_all(Locks&... locks) -> MultiGuard<sizeof...(Locks)>;

/// `lock_all` without waiting: returns a guard that owns all of the locks, or none. Any agent.
///
///     if (auto both = futon::try_lock_all(from.lock, to.lock)) move_money(from, to);
///
/// Throws  std::system_error (resource_deadlock_would_occur) if one lock is named twice
template <std::same_as<AsyncLock>... Locks>
    requires(sizeof...(Locks) > 0)
auto try_lock_all(Locks&... locks) -> MultiGuard<sizeof...(Locks)>;

/// `lock_all` for coroutines: `co_await` gives a MultiGuard, on the agent that awaits.
///
///     auto both = co_await futon::lock_all_async(from.lock, to.lock);
///
/// Cancel  the deadline and the stop token; destroying the coroutine, or the end of its agent. Acquired locks are
///         released
/// Throws  std::system_error (resource_deadlock_would_occur) if one lock is named twice. When awaited: NoExecutor if
///         the thread has no executor, or if there is a deadline and the executor keeps no timers
/// Cost    allocates nothing
template <std::same_as<AsyncLock>... Locks>
    requires(sizeof...(Locks) > 0)
auto lock_all_async(Limits limits, Locks&... locks) -> MultiAcquisition<sizeof...(Locks)>;
template <std::same_as<AsyncLock>... Locks>
    requires(sizeof...(Locks) > 0)
auto lock_all_async(Locks&... locks) -> MultiAcquisition<sizeof...(Locks)>;

// Near misses. Compilers quote the line that declares a deleted function, and with it the advice.
// clang-format off
template <class First, class... Args>
    requires(!(std::same_as<First, AsyncLock&> && ... && std::same_as<Args, AsyncLock&>) && !std::convertible_to<First, Limits>)
void lock_all(First&&, Args&&...) = delete;  // futon: it takes AsyncLocks, and limits before them: write lock_all({5ms, stop}, a, b). std::scoped_lock takes locks of all kinds
template <class First, class... Args>
    requires(!(std::same_as<First, AsyncLock&> && ... && std::same_as<Args, AsyncLock&>) && !std::convertible_to<First, Limits>)
void lock_all_async(First&&, Args&&...) = delete;  // futon: it takes AsyncLocks, and limits before them: write lock_all_async({5ms, stop}, a, b)
// clang-format on

}  // namespace futon

#include <futon/detail/sync/lock_all_tasks.hpp>    // how tasks wait for one lock after the other
#include <futon/detail/sync/lock_all_threads.hpp>  // how threads do

#include <futon/detail/end.hpp>
