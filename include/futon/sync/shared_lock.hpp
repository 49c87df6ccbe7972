// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

#include <futon/detail/chrono.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/lock_order.hpp>
#include <futon/detail/sync/shared_lock_word.hpp>
#include <futon/detail/thread_safety.hpp>
#include <futon/detail/view.hpp>
#include <futon/fairness.hpp>
#include <futon/limits.hpp>
#include <futon/promise.hpp>
#include <futon/sync/locked_result.hpp>

namespace futon {

class SharedArrayBuffer;

/// A reader-writer lock for threads that may block and event loops that must not: one wait queue for both. Use it where
/// many agents read for long and few write; for short reads `AsyncLock` is cheaper.
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
/// Order     a strict lock serves threads and tasks in queue order, with the one exception of a strict `AsyncLock`.
/// Upgrade   one owner at a time holds the lock upgradeable, and may make its hold exclusive without a gap in which
///           another writes. While the upgrade waits for the readers to leave, no new readers enter.
/// Loops     the lock is only offered to a queued task, as an `AsyncLock` is, since its loop may not be running. After
///           the offer, other waiters and callers may take the lock; the task keeps its place. See `core::Arbiter`.
/// Ordering  everything before an unlock happens before everything after the acquisitions that it makes possible.
/// Lifetime  an unlock does not touch the lock once it has made another acquisition possible, so the next owner may
///           destroy it.
/// Requires  the lock is neither destroyed nor moved while a waiter is queued or it is held shared. No mode is recursive: a reader that
///           locks again may wait for a writer that waits for the reader.
class FUTON_API FUTON_CAPABILITY("lock") SharedLock {
public:
    // clang-format off
    template <std::uint64_t mode> class Holder;
    class Guard; class SharedGuard; class UpgradeableGuard;
    class Locking; class LockingShared; class LockingUpgradeable; class UpgradeRequest; class Upgrading;
    template <class Op> class Acquisition; template <class Op> class Holding;

    /// How long callers may overtake the first waiter in the queue.
    static constexpr std::chrono::milliseconds handoff_threshold = core::handoff_threshold;

    /// How many owners can hold the lock shared, including an upgradeable owner, so that its downgrade always has room.
    static constexpr std::uint32_t max_shared() noexcept { return detail::SharedLockWord::readers; }

    constexpr SharedLock() noexcept : SharedLock(Fairness::bounded) {}
    constexpr explicit SharedLock(Fairness fairness) noexcept;
#ifdef FUTON_TELL_LOCK_ORDER
    constexpr ~SharedLock();
#endif
    SharedLock(const SharedLock&) = delete; SharedLock& operator=(const SharedLock&) = delete;

    /// Returns the lock that lies in a buffer. All views of the same bytes are the same lock; nothing but these locks
    /// may wait there.
    ///
    /// Throws  std::out_of_range if `byte_offset` is not a multiple of eight, or the lock would end outside the buffer
    template <std::same_as<SharedArrayBuffer> Buffer>  // so that this header need not include it
    static SharedLock& at(Buffer& buffer, std::size_t byte_offset = 0) {
        return detail::object_at<SharedLock>(buffer, byte_offset);
    }

    /// Block until the caller holds the lock in this mode, or the limits are over. A free lock wins over limits that are
    /// over. A reader waits while another owner holds the lock exclusively, or waits for an upgrade, and spins for
    /// some microseconds while a writer does; an upgradeable owner waits while another holds it upgradeable or exclusively.
    ///
    /// Returns  `ok` if the caller holds the lock, else `timed_out` or `cancelled`. The functions with `scoped_` return
    ///          a guard, which unlocks at the end of its scope; if it holds nothing, it says why
    /// Threads  agents that may block.
    /// Throws   BlockingForbidden if the agent may not block, even if the lock is free; `lock_shared` also
    ///          std::system_error (resource_unavailable_try_again) if the lock is held `max_shared()` times
    /// Cost     a load and a compare-exchange if it is free; threads that read at once share no cache line. If another reader
    ///          is faster, one backs off once, for two microseconds at most. Else up to ten microseconds of spinning before
    ///          each sleep, and for a reader as many for a writer. Allocates nothing
    void lock() FUTON_ACQUIRE();                    [[nodiscard]] WaitResult lock(const Limits& limits);
    void lock_shared() FUTON_ACQUIRE_SHARED();      [[nodiscard]] WaitResult lock_shared(const Limits& limits);
    void lock_upgradeable() FUTON_ACQUIRE_SHARED(); [[nodiscard]] WaitResult lock_upgradeable(const Limits& limits);
    Guard scoped_lock(const Limits& limits = {});
    SharedGuard scoped_lock_shared(const Limits& limits = {});
    UpgradeableGuard scoped_lock_upgradeable(const Limits& limits = {});

    /// Makes the caller's upgradeable hold exclusive, once the readers have left; `try_upgrade` if there is no reader,
    /// by any agent. If that fails, the caller keeps its upgradeable hold, and readers enter again.
    ///
    /// Throws  as `lock`; std::system_error (operation_not_permitted) if the lock is not held upgradeable, or another
    ///         upgrade waits already. Nothing changes then. An operation and an awaitable throw this when they are
    ///         made, and when they would have to wait
    void upgrade() FUTON_RELEASE_SHARED() FUTON_ACQUIRE(); [[nodiscard]] WaitResult upgrade(const Limits& limits);
    [[nodiscard]] bool try_upgrade();

    /// Take the lock if it is open to the mode, without waiting; any agent. Or block as `lock`, for at most this time, or
    /// until this time point of any clock. `try_lock_shared` fails if the lock is held `max_shared()` times.
    bool try_lock() noexcept FUTON_TRY_ACQUIRE(true);
    bool try_lock_shared() noexcept FUTON_TRY_ACQUIRE_SHARED(true);
    bool try_lock_upgradeable() noexcept FUTON_TRY_ACQUIRE_SHARED(true);
    template <class R, class P> bool try_lock_for(std::chrono::duration<R, P> time) FUTON_TRY_ACQUIRE(true);
    template <class R, class P> bool try_lock_shared_for(std::chrono::duration<R, P> time) FUTON_TRY_ACQUIRE_SHARED(true);
    template <class R, class P> bool try_lock_upgradeable_for(std::chrono::duration<R, P> time) FUTON_TRY_ACQUIRE_SHARED(true);
    template <class R, class P> [[nodiscard]] bool try_upgrade_for(std::chrono::duration<R, P> time);
    template <class Time> bool try_lock_until(const Time& time) FUTON_TRY_ACQUIRE(true);
    template <class Time> bool try_lock_shared_until(const Time& time) FUTON_TRY_ACQUIRE_SHARED(true);
    template <class Time> bool try_lock_upgradeable_until(const Time& time) FUTON_TRY_ACQUIRE_SHARED(true);
    template <class Time> [[nodiscard]] bool try_upgrade_until(const Time& time);

    /// Release the caller's hold in this mode, and serve the waiters that can be served now. Any agent may unlock, not
    /// only the one that locked. Never block; cost a compare-exchange if no waiter is queued. `_fair`: if that makes
    /// room for the first waiter, hand the lock off to it even if no handoff is due: a thread holds it at once, a task
    /// is offered it (see Loops). A strict lock always does so. Meanwhile the lock is idle until the waiter runs.
    ///
    /// Throws  std::system_error (operation_not_permitted) if the lock is not held in this mode; nothing changes then
    void unlock() FUTON_RELEASE();                    void unlock_fair() FUTON_RELEASE();
    void unlock_shared() FUTON_RELEASE_SHARED();      void unlock_shared_fair() FUTON_RELEASE_SHARED();
    void unlock_upgradeable() FUTON_RELEASE_SHARED(); void unlock_upgradeable_fair() FUTON_RELEASE_SHARED();

    /// Weaken the caller's hold without a gap in which another writes, and serve the waiters that can be served now:
    /// exclusive to shared, exclusive to upgradeable, upgradeable to shared. Otherwise as `unlock`.
    void downgrade() FUTON_RELEASE() FUTON_ACQUIRE_SHARED();
    void downgrade_to_upgradeable() FUTON_RELEASE() FUTON_ACQUIRE_SHARED();
    void downgrade_upgradeable();

    /// The functions above for coroutines: `co_await` gives such a guard, on this agent; for `upgrade_async` a
    /// WaitResult; for functions without `scoped_` nothing, and the caller unlocks by hand.
    ///
    /// Cancel  as `core::await`: if the coroutine is destroyed after it received the lock, the lock goes to the next
    ///         waiter, or is unlocked
    /// Throws  as `lock_shared` and `upgrade` for misuse; when awaited: NoExecutor, as `core::await`. Without a guard
    ///         std::system_error (operation_canceled) in a coroutine of another library if its agent ends first. The
    ///         caller does not hold the lock then
    Acquisition<Locking> scoped_lock_async(Limits limits = {});
    Acquisition<LockingShared> scoped_lock_shared_async(Limits limits = {});
    Acquisition<LockingUpgradeable> scoped_lock_upgradeable_async(Limits limits = {});
    Acquisition<Upgrading> upgrade_async(Limits limits = {});
    Holding<Locking> lock_async();
    Holding<LockingShared> lock_shared_async();
    Holding<LockingUpgradeable> lock_upgradeable_async();

    /// Run `f()` while holding the lock exclusively, or shared: at once if it is open to that mode, else later, on this
    /// agent's executor. If `f` returns a promise, as a coroutine does, the lock is held until that promise settles.
    ///
    /// Returns  a promise of what `f` returns. If `f` throws, the lock is released, and the promise gets the exception
    /// Cancel   dropping the promise does not stop `f` from running; the end of the event loop does
    /// Throws   NoExecutor; std::bad_alloc. `f` has not run then
    template <class F> auto execute_locked(F f) -> Promise<LockedResult<F>>;
    template <class F> auto execute_locked_shared(F f) -> Promise<LockedResult<F>>;

    /// These functions as operations, for `select` and the drivers of `core`. They yield a Guard, a SharedGuard, an
    /// UpgradeableGuard, and a WaitResult. Throw as the awaitables.
    Locking locking() noexcept;                        LockingShared locking_shared();
    LockingUpgradeable locking_upgradeable() noexcept; Upgrading upgrading();
    // clang-format on

private:
    using Word = detail::SharedLockWord;
    template <Word::Mode mode, core::Handoff handoff>
    bool release() noexcept;
    WaitResult lock_contended(const Limits& limits);
    WaitResult lock_shared_contended(const Limits& limits);
    WaitResult lock_upgradeable_contended(const Limits& limits);
    [[noreturn]] static void throw_agent_ended(const char* what);
    Word word_;
};

}  // namespace futon

#include <futon/detail/sync/shared_lock_timed.hpp>        // under the names of std::shared_timed_mutex
#include <futon/detail/sync/shared_lock_uncontended.hpp>  // what programs inline
#include <futon/sync/shared_lock_guards.hpp>              // its guards, and what yields them

#include <futon/detail/end.hpp>
