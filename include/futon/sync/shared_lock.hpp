// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <futon/agent.hpp>
#include <futon/core/probe.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/chrono.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/lock_order.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/sync/shared_lock_word.hpp>
#include <futon/detail/sync/time_points.hpp>
#include <futon/detail/thread_safety.hpp>
#include <futon/detail/view.hpp>
#include <futon/fairness.hpp>
#include <futon/limits.hpp>
#include <futon/promise.hpp>
#include <futon/wait_result.hpp>

namespace futon {

class SharedArrayBuffer;

/// A reader-writer lock for threads that may block and event loops that must not: one wait queue for both. Use it where
/// many agents read and few write.
///
///     futon::SharedLock lock;
///     std::shared_lock reader(lock);                               // a thread that may block
///     auto writer = co_await lock.scoped_lock_async(5ms);          // a coroutine
///     auto reader = lock.scoped_lock_upgradeable();                // reads alongside other readers,
///     if (is_stale(cache)) auto writer = reader.upgrade();         // and writes if need be, with no gap in between
///
/// Eight bytes, zero when free and not strict: it can be a member, a global, or lie in a SharedArrayBuffer. It meets
/// the standard's SharedTimedLockable.
///
/// | mode        | coexists with           | functions                                                                  |
/// |-------------|-------------------------|----------------------------------------------------------------------------|
/// | shared      | shared, one upgradeable | lock_shared, scoped_lock_shared, _async, locking_shared, unlock_shared     |
/// | upgradeable | shared                  | lock_upgradeable, …, unlock_upgradeable; upgrade makes it exclusive        |
/// | exclusive   | none                    | lock, scoped_lock, scoped_lock_async, locking, unlock; downgrade           |
///
/// | to lock it, in each mode              | threads and tasks that may | if it is held                          |
/// |---------------------------------------|----------------------------|----------------------------------------|
/// | lock…, scoped_lock…, try_lock…_for    | agents that may block      | blocks; else BlockingForbidden         |
/// | try_lock…                             | any                        | returns false                          |
/// | execute_locked, execute_locked_shared | agents with an executor    | the function runs later                |
/// | …lock…_async, upgrade_async           | coroutines                 | the coroutine is suspended             |
/// | locking…, upgrading                   | drivers, `select`          | the driver decides                     |
///
/// Fairness  a caller that finds the lock open to its mode takes it ahead of queued waiters. Waiters are served in
///           queue order, and consecutive readers in the queue together. Once the first waiter has waited for
///           `handoff_threshold`, no caller overtakes it: new readers then wait behind a writer. With
///           `Fairness::strict` no caller overtakes the queue. So neither writers nor readers starve.
/// Order     a strict lock serves threads and tasks in queue order, with one exception: a task is overtaken if it
///           misses an offer that lasted as long as its loop has lately needed, or if its loop is in a turn longer than
///           any recent one. See `core::Arbiter`.
/// Upgrade   one owner at a time holds the lock upgradeable, and may make its hold exclusive without a gap in which
///           another writes. While the upgrade waits for the readers to leave, no new readers enter. If the upgrade
///           fails because its time is over or a stop is requested, the owner keeps the upgradeable hold, and readers
///           enter again.
/// Loops     the loop of a queued task may not be running, so the lock is only offered to the task. The offer lasts as
///           long as the loop takes to look at its jobs. After that, other waiters and callers may take the lock; the
///           task keeps its place. See `core::Arbiter`.
/// Ordering  everything before an unlock happens before everything after the acquisitions that it makes possible.
/// Lifetime  an unlock does not touch the lock once it has made another acquisition possible, so the next owner may
///           destroy it.
/// Requires  the lock is neither destroyed nor moved while a waiter is queued. No mode is recursive: a reader that
///           locks again may wait for a writer that waits for the reader.
class FUTON_API FUTON_CAPABILITY("lock") SharedLock {
public:
    template <bool (SharedLock::*Release)() noexcept, bool (SharedLock::*ReleaseFair)() noexcept>
    class Holder;
    class Guard;
    class SharedGuard;
    class UpgradeableGuard;
    class Locking;
    class LockingShared;
    class LockingUpgradeable;
    class UpgradeRequest;
    class Upgrading;
    template <class Op>
    class Acquisition;
    template <class Op>
    class Holding;

    /// How long callers may overtake the first waiter in the queue.
    static constexpr std::chrono::milliseconds handoff_threshold = core::handoff_threshold;

    /// How many owners can hold the lock shared, including an upgradeable owner, so that its downgrade always has room.
    static constexpr std::uint32_t max_shared() noexcept { return detail::SharedLockWord::readers; }

    constexpr SharedLock() noexcept : SharedLock(Fairness::bounded) {}
    constexpr explicit SharedLock(Fairness fairness) noexcept : word_(fairness) { detail::LockOrder::made(this); }
#ifdef FUTON_TELL_LOCK_ORDER
    constexpr ~SharedLock() {
        detail::LockOrder::ended(this);
    }
#endif
    SharedLock(const SharedLock&) = delete;
    SharedLock& operator=(const SharedLock&) = delete;

    /// Returns the lock that lies in a buffer. All views of the same bytes are the same lock; nothing but these locks
    /// may wait there.
    ///
    /// Throws  std::out_of_range if `byte_offset` is not a multiple of eight, or the lock would end outside the buffer
    template <std::same_as<SharedArrayBuffer> Buffer>  // so that this header need not include it
    static SharedLock& at(Buffer& buffer, std::size_t byte_offset = 0) {
        return detail::object_at<SharedLock>(buffer, byte_offset);
    }

    /// Blocks until the caller holds the lock exclusively, or the limits are over. A free lock wins over limits that
    /// are over.
    ///
    /// Returns  `ok` if the caller holds the lock, else `timed_out` or `cancelled`
    /// Threads  agents that may block.
    /// Throws   BlockingForbidden if the agent may not block, even if the lock is free
    /// Cost     a compare-exchange if it is free; else up to ten microseconds of spinning before each sleep. Allocates
    ///          nothing
    void lock() FUTON_ACQUIRE() {
        require_can_block("futon::SharedLock::lock");
        detail::LockOrder::before_lock(this);
        if (!word_.take_exclusive()) [[unlikely]]
            static_cast<void>(lock_contended({}));
        detail::LockOrder::locked(this);
    }
    [[nodiscard]] WaitResult lock(const Limits& limits) {
        require_can_block("futon::SharedLock::lock");
        return ordered(limits, [&] { return word_.take_exclusive() ? WaitResult::ok : lock_contended(limits); });
    }

    /// The same for a shared hold: waits while another owner holds the lock exclusively, or waits for an upgrade.
    ///
    /// Throws  as `lock`; std::system_error (resource_unavailable_try_again) if the lock is held `max_shared()` times
    /// Cost    a load and a compare-exchange if it is not held exclusively, more if another reader was faster
    void lock_shared() FUTON_ACQUIRE_SHARED() {
        require_can_block("futon::SharedLock::lock_shared");
        detail::LockOrder::before_lock(this);
        if (!word_.take_shared()) [[unlikely]]
            static_cast<void>(lock_shared_contended({}));
        detail::LockOrder::locked(this);
    }
    [[nodiscard]] WaitResult lock_shared(const Limits& limits) {
        require_can_block("futon::SharedLock::lock_shared");
        return ordered(limits, [&] { return word_.take_shared() ? WaitResult::ok : lock_shared_contended(limits); });
    }

    /// The same for an upgradeable hold: waits while another owner holds the lock upgradeable or exclusively. Throws as
    /// `lock`.
    void lock_upgradeable() FUTON_ACQUIRE_SHARED() {
        static_cast<void>(lock_upgradeable({}));
    }
    [[nodiscard]] WaitResult lock_upgradeable(const Limits& limits) {
        require_can_block("futon::SharedLock::lock_upgradeable");
        return ordered(limits,
                       [&] { return word_.take_upgradeable() ? WaitResult::ok : lock_upgradeable_contended(limits); });
    }

    /// Makes the caller's upgradeable hold exclusive, once the readers have left. If that fails, the caller keeps its
    /// upgradeable hold.
    ///
    /// Throws  as `lock`; std::system_error (operation_not_permitted) if the lock is not held upgradeable, or another
    ///         upgrade waits already. Nothing changes then. An operation and an awaitable throw this when they are
    ///         made, and when they would have to wait
    void upgrade() FUTON_RELEASE_SHARED() FUTON_ACQUIRE() {
        static_cast<void>(upgrade({}));
    }
    [[nodiscard]] WaitResult upgrade(const Limits& limits);

    /// Take the lock if it is open to the mode, without waiting. `try_lock_shared` fails if the lock is held
    /// `max_shared()` times. Any agent.
    // clang-format off
    bool try_lock() noexcept FUTON_TRY_ACQUIRE(true) { return tried(word_.try_exclusive()); }
    bool try_lock_shared() noexcept FUTON_TRY_ACQUIRE_SHARED(true) { return tried(word_.try_shared()); }
    bool try_lock_upgradeable() noexcept FUTON_TRY_ACQUIRE_SHARED(true) { return tried(word_.try_upgradeable()); }
    // clang-format on

    /// Makes the caller's upgradeable hold exclusive if there is no reader. Any agent. Throws as `upgrade`.
    [[nodiscard]] bool try_upgrade();

    /// Block for at most this time, or until this time point of any clock. Return whether the caller holds the lock.
    ///
    /// Threads  as the functions above
    /// Throws   as the functions above
    template <class Rep, class Period>
    bool try_lock_for(std::chrono::duration<Rep, Period> time) FUTON_TRY_ACQUIRE(true);
    template <class Rep, class Period>
    bool try_lock_shared_for(std::chrono::duration<Rep, Period> time) FUTON_TRY_ACQUIRE_SHARED(true);
    template <class Rep, class Period>
    bool try_lock_upgradeable_for(std::chrono::duration<Rep, Period> time) FUTON_TRY_ACQUIRE_SHARED(true);
    template <class Rep, class Period>
    [[nodiscard]] bool try_upgrade_for(std::chrono::duration<Rep, Period> time);
    template <class Time>
    bool try_lock_until(const Time& time) FUTON_TRY_ACQUIRE(true);
    template <class Time>
    bool try_lock_shared_until(const Time& time) FUTON_TRY_ACQUIRE_SHARED(true);
    template <class Time>
    bool try_lock_upgradeable_until(const Time& time) FUTON_TRY_ACQUIRE_SHARED(true);
    template <class Time>
    [[nodiscard]] bool try_upgrade_until(const Time& time);

    /// Release the caller's hold in this mode, and serve the waiters that can be served now. Any agent may unlock, not
    /// only the one that locked. Never block.
    ///
    /// Throws  std::system_error (operation_not_permitted) if the lock is not held in this mode; nothing changes then
    /// Cost    a compare-exchange if no waiter is queued
    void unlock() FUTON_RELEASE() {
        if (!release()) [[unlikely]]
            throw_not_held("futon::SharedLock::unlock: the lock is not held exclusively");
    }
    void unlock_shared() FUTON_RELEASE_SHARED() {
        if (!release_shared()) [[unlikely]]
            throw_not_held("futon::SharedLock::unlock_shared: the lock is not held shared");
    }
    void unlock_upgradeable() FUTON_RELEASE_SHARED() {
        if (!release_upgradeable()) [[unlikely]]
            throw_not_held("futon::SharedLock::unlock_upgradeable: the lock is not held upgradeable");
    }

    /// Release as the functions above. If that makes room for the first waiter, hand the lock off to it even if no
    /// handoff is due: a thread holds it at once, a task is offered it (see Loops). A strict lock always does so.
    ///
    /// Throws  as the functions above
    /// Cost    if a waiter is queued, a wake-up; the lock is idle until the waiter runs
    void unlock_fair() FUTON_RELEASE() {
        if (!release_fair()) [[unlikely]]
            throw_not_held("futon::SharedLock::unlock_fair: the lock is not held exclusively");
    }
    void unlock_shared_fair() FUTON_RELEASE_SHARED() {
        if (!release_shared_fair()) [[unlikely]]
            throw_not_held("futon::SharedLock::unlock_shared_fair: the lock is not held shared");
    }
    void unlock_upgradeable_fair() FUTON_RELEASE_SHARED() {
        if (!release_upgradeable_fair()) [[unlikely]]
            throw_not_held("futon::SharedLock::unlock_upgradeable_fair: the lock is not held upgradeable");
    }

    /// Weaken the caller's hold without a gap in which another writes, and serve the waiters that can be served now:
    /// exclusive to shared, exclusive to upgradeable, upgradeable to shared. Otherwise as `unlock`.
    void downgrade() FUTON_RELEASE() FUTON_ACQUIRE_SHARED();
    void downgrade_to_upgradeable() FUTON_RELEASE() FUTON_ACQUIRE_SHARED();
    void downgrade_upgradeable();

    /// Block as the functions without `scoped_`, and return a guard. The guard unlocks at the end of its scope; if it
    /// holds nothing, it says why.
    Guard scoped_lock(const Limits& limits = {});
    SharedGuard scoped_lock_shared(const Limits& limits = {});
    UpgradeableGuard scoped_lock_upgradeable(const Limits& limits = {});

    /// The functions above for coroutines: `co_await` gives such a guard, on this agent; for `upgrade_async` a
    /// WaitResult.
    ///
    /// Cancel  as `core::await`: if the coroutine is destroyed after it received the lock, the lock goes to the next
    ///         waiter, or is unlocked
    /// Throws  as `lock_shared` and `upgrade` for misuse; when awaited: NoExecutor, as `core::await`
    Acquisition<Locking> scoped_lock_async(Limits limits = {});
    Acquisition<LockingShared> scoped_lock_shared_async(Limits limits = {});
    Acquisition<LockingUpgradeable> scoped_lock_upgradeable_async(Limits limits = {});
    Acquisition<Upgrading> upgrade_async(Limits limits = {});

    /// Lock without blocking: `co_await` gives nothing, and the caller unlocks by hand. The functions with `scoped_`
    /// are safer.
    ///
    /// Throws  as those; std::system_error (operation_canceled) in a coroutine of another library if its agent ends
    ///         first. The caller does not hold the lock then
    Holding<Locking> lock_async();
    Holding<LockingShared> lock_shared_async();
    Holding<LockingUpgradeable> lock_upgradeable_async();

    /// Run `f()` while holding the lock exclusively, or shared: at once if it is open to that mode, else later, on this
    /// agent's executor. If `f` returns a promise, as a coroutine does, the lock is held until that promise settles.
    ///
    /// Returns  a promise of what `f` returns. If `f` throws, the lock is released, and the promise gets the exception
    /// Cancel   dropping the promise does not stop `f` from running; the end of the event loop does
    /// Throws   NoExecutor; std::bad_alloc. `f` has not run then
    template <class F>
    auto execute_locked(F f) -> Promise<typename detail::Unwrapped<std::invoke_result_t<F&>>::Type>;
    template <class F>
    auto execute_locked_shared(F f) -> Promise<typename detail::Unwrapped<std::invoke_result_t<F&>>::Type>;

    /// These functions as operations, for `select` and the drivers of `core`. They yield a Guard, a SharedGuard, an
    /// UpgradeableGuard, and a WaitResult. Throw as the awaitables.
    Locking locking() noexcept;
    LockingShared locking_shared();
    LockingUpgradeable locking_upgradeable() noexcept;
    Upgrading upgrading();

private:
    using Word = detail::SharedLockWord;

    static void require_can_block(const char* what) {
        if (!detail::this_thread_can_block()) [[unlikely]]
            detail::throw_blocking_forbidden(what);
    }
    [[noreturn]] static void throw_not_held(const char* what) {
        Word::throw_not_held(what);
    }
    [[noreturn]] static void throw_agent_ended(const char* what);

    bool release() noexcept {
        detail::LockOrder::unlocking(this);
        return word_.release();
    }
    bool release_shared() noexcept {
        detail::LockOrder::unlocking(this);
        return word_.release_shared();
    }
    bool release_upgradeable() noexcept {
        detail::LockOrder::unlocking(this);
        return word_.release_upgradeable();
    }

    bool release_fair() noexcept {
        return hand_off(Word::exclusive_mode, Word::exclusive);
    }
    bool release_shared_fair() noexcept {
        return hand_off(Word::shared_mode, Word::readers);
    }
    bool release_upgradeable_fair() noexcept {
        return hand_off(Word::upgradeable_mode, Word::upgradeable);
    }
    bool hand_off(Word::Mode mode, Word::State held_so) noexcept {
        core::probe::releasing(&word_);
        detail::LockOrder::unlocking(this);
        return word_.release_contended(mode, held_so, core::Handoff::now);
    }

    bool tried(bool is_locked) noexcept {
        if (is_locked) detail::LockOrder::locked(this);
        return is_locked;
    }

    /// Reports to the lock-order check: a wait that only the lock ends, and what it has locked.
    template <class Lock>
    WaitResult ordered(const Limits& limits, Lock lock) {
        if (!limits.has_deadline()) detail::LockOrder::before_lock(this);
        const WaitResult result = lock();
        if (result == WaitResult::ok) detail::LockOrder::locked(this);
        return result;
    }

    template <class Op, class F>
    auto call_holding(Op op, F f) -> Promise<typename detail::Unwrapped<std::invoke_result_t<F&>>::Type>;

    WaitResult lock_contended(const Limits& limits);
    WaitResult lock_shared_contended(const Limits& limits);
    WaitResult lock_upgradeable_contended(const Limits& limits);

    Word word_;
};

static_assert(sizeof(SharedLock) == 8);
#ifndef FUTON_TELL_LOCK_ORDER
static_assert(std::is_trivially_destructible_v<SharedLock>);
#endif

}  // namespace futon

#include <futon/detail/sync/shared_lock_timed.hpp>  // under the names of std::shared_timed_mutex
#include <futon/sync/shared_lock_guards.hpp>        // its operations and guards

#include <futon/detail/end.hpp>
