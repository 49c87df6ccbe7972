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
#include <futon/detail/thread_safety.hpp>
#include <futon/detail/time_points.hpp>
#include <futon/detail/view.hpp>
#include <futon/promise.hpp>
#include <futon/sync/fairness.hpp>
#include <futon/sync/shared_lock_word.hpp>
#include <futon/time_limit.hpp>
#include <futon/wait_result.hpp>

namespace futon {

class SharedArrayBuffer;

/// A reader-writer lock for threads that may block and event loops that must not: one wait queue for both.
///
///     futon::SharedLock lock;
///     std::shared_lock reader(lock);                               // a thread that may block
///     auto writer = co_await lock.scoped_lock_async(5ms);          // a coroutine
///     auto reader = lock.scoped_lock_upgradeable();                // reads beside other readers,
///     if (is_stale(cache)) auto writer = reader.upgrade();         // and writes what it has read, if need be
///
/// Eight bytes; its value is 0 when free, if it is not strict: it can be a member, a global, or lie in a SharedArrayBuffer. A standard
/// SharedTimedLockable.
///
/// | mode        | is held beside          | functions                                                                  |
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
/// | locking…, upgrading                   | drivers, `select`          | as the driver waits                    |
///
/// Fairness  a caller that finds the lock open for it takes it past those that are queued. Those are served in order, and
///           readers that follow each other in the queue together. Once the first in the queue has waited for
///           `handoff_threshold`, no caller overtakes it: new readers wait behind a writer then. With `Fairness::strict` no
///           caller overtakes the queue. So neither writers nor readers starve.
/// Order     a strict lock serves threads and tasks in the order in which they were queued. Overtaken is only a task that came too
///           late for an offer that was as long as its loop had shown to need, or whose loop is in a turn longer
///           than any of late; see `core::Arbiter`.
/// Upgrade   the upgradeable mode has one holder at a time, who may make it exclusive without a gap in which another writes.
///           While it waits for the readers to leave, no new ones come in. An upgrade that fails, because its time is over
///           or a stop is requested, keeps the upgradeable mode, and readers go on.
/// Loops     to a task of an event loop, which may not run, the lock is only offered, for as long as its loop takes to look at its
///           jobs. Once the offer has expired, others that wait, or come, may take the lock; the task keeps its place. See
///           `core::Arbiter`.
/// Ordering  what happened before an unlock happens before what follows the acquisitions that it makes possible.
/// Lifetime  unlock does not touch the lock once it has made another acquisition possible, so the next owner may destroy it.
/// Requires  it is not destroyed or moved while a waiter is queued. No mode is recursive: a reader that locks it once more
///           may wait for a writer that waits for the reader.
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

    /// How long callers may overtake the first in the queue.
    static constexpr std::chrono::milliseconds handoff_threshold = core::handoff_threshold;

    /// How many may hold it shared at a time, an upgradeable holder included: a downgrade finds room.
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

    /// The lock that lies in a buffer. All views of the same bytes are the same lock; only its waiters may wait there.
    ///
    /// Throws  std::out_of_range if `byte_offset` is no multiple of eight, or the lock would end outside the buffer
    template <std::same_as<SharedArrayBuffer> Buffer>  // that a lock alone need not know
    static SharedLock& at(Buffer& buffer, std::size_t byte_offset = 0) {
        return detail::object_at<SharedLock>(buffer, byte_offset);
    }

    /// Blocks until the caller holds it exclusively; with a limit or a stop token, until then at most. A lock that is free
    /// beats a limit that has come already.
    ///
    /// Returns  `ok` if the caller holds it, else `timed_out` or `cancelled`
    /// Threads  agents that may block.
    /// Throws   BlockingForbidden on an agent that may not, before it looks at the lock
    /// Cost     a compare-exchange if it is free; else up to ten microseconds of spinning before each sleep. Allocates nothing
    void lock() FUTON_ACQUIRE() {
        require_can_block("futon::SharedLock::lock");
        detail::LockOrder::before_lock(this);
        if (!word_.take_exclusive()) [[unlikely]]
            static_cast<void>(lock_contended(Deadline::never(), {}));
        detail::LockOrder::locked(this);
    }
    [[nodiscard]] WaitResult lock(TimeLimit limit, const std::stop_token& stop = {}) {
        require_can_block("futon::SharedLock::lock");
        return ordered(limit, [&](Deadline deadline) {
            return word_.take_exclusive() ? WaitResult::ok : lock_contended(deadline, stop);
        });
    }
    [[nodiscard]] WaitResult lock(const std::stop_token& stop) {
        return lock(Deadline::never(), stop);
    }

    /// The same for shared holding: until no other holds it exclusively, or waits for an upgrade.
    ///
    /// Throws  as `lock`; std::system_error (resource_unavailable_try_again) if it is held `max_shared()` times
    /// Cost    a load and a compare-exchange if it is not held exclusively, more where another reader was faster
    void lock_shared() FUTON_ACQUIRE_SHARED() {
        require_can_block("futon::SharedLock::lock_shared");
        detail::LockOrder::before_lock(this);
        if (!word_.take_shared()) [[unlikely]]
            static_cast<void>(lock_shared_contended(Deadline::never(), {}));
        detail::LockOrder::locked(this);
    }
    [[nodiscard]] WaitResult lock_shared(TimeLimit limit, const std::stop_token& stop = {}) {
        require_can_block("futon::SharedLock::lock_shared");
        return ordered(limit, [&](Deadline deadline) {
            return word_.take_shared() ? WaitResult::ok : lock_shared_contended(deadline, stop);
        });
    }
    [[nodiscard]] WaitResult lock_shared(const std::stop_token& stop) {
        return lock_shared(Deadline::never(), stop);
    }

    /// The same for upgradeable holding: until no other holds it so, or exclusively. Throws  as `lock`
    void lock_upgradeable() FUTON_ACQUIRE_SHARED() {
        static_cast<void>(lock_upgradeable(Deadline::never()));
    }
    [[nodiscard]] WaitResult lock_upgradeable(TimeLimit limit, const std::stop_token& stop = {}) {
        require_can_block("futon::SharedLock::lock_upgradeable");
        return ordered(limit, [&](Deadline deadline) {
            return word_.take_upgradeable() ? WaitResult::ok : lock_upgradeable_contended(deadline, stop);
        });
    }
    [[nodiscard]] WaitResult lock_upgradeable(const std::stop_token& stop) {
        return lock_upgradeable(Deadline::never(), stop);
    }

    /// Makes the caller's upgradeable holding exclusive, once the readers have left. If that fails, the caller holds it
    /// upgradeable as before.
    ///
    /// Throws  as `lock`; std::system_error (operation_not_permitted) if it is not held upgradeable, or an upgrade waits
    ///         already: nothing changes then. An operation and an awaitable throw so when they are made, and where they would
    ///         have to wait
    void upgrade() FUTON_RELEASE_SHARED() FUTON_ACQUIRE() {
        static_cast<void>(upgrade(Deadline::never()));
    }
    [[nodiscard]] WaitResult upgrade(TimeLimit limit, const std::stop_token& stop = {});
    [[nodiscard]] WaitResult upgrade(const std::stop_token& stop) {
        return upgrade(Deadline::never(), stop);
    }

    /// Take it if it is open in this mode. Any agent. `try_lock_shared` fails if it is held `max_shared()` times.
    // clang-format off
    bool try_lock() noexcept FUTON_TRY_ACQUIRE(true) { return tried(word_.try_exclusive()); }
    bool try_lock_shared() noexcept FUTON_TRY_ACQUIRE_SHARED(true) { return tried(word_.try_shared()); }
    bool try_lock_upgradeable() noexcept FUTON_TRY_ACQUIRE_SHARED(true) { return tried(word_.try_upgradeable()); }
    // clang-format on

    /// Makes the caller's upgradeable holding exclusive if there is no reader. Any agent. Throws  as `upgrade`
    [[nodiscard]] bool try_upgrade();

    /// Block for this time at most, or until this time point, of any clock. Return whether the caller holds it.
    /// Threads, Throws  as the functions above
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

    /// End the caller's holding in this mode, and serve those who wait for that. Any agent; it need not be the one that
    /// locked it. Never block.
    ///
    /// Throw  std::system_error (operation_not_permitted) if it is not held in this mode: nothing changes then
    /// Cost   a compare-exchange where no waiter is queued
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

    /// The same, and where that makes room for the first in the queue it is handed off to it, whatever the time: a thread holds
    /// it at once, a task is offered it (see Fairness). A strict lock is always unlocked like this.
    ///
    /// Throw  as the functions above
    /// Cost   where waiters are queued, a wake-up, and the lock is idle until it has arrived
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

    /// Make the caller's holding a weaker one, without a gap in which another writes, and serve those who wait for that:
    /// exclusive to shared, exclusive to upgradeable, upgradeable to shared. As `unlock` otherwise.
    void downgrade() FUTON_RELEASE() FUTON_ACQUIRE_SHARED();
    void downgrade_to_upgradeable() FUTON_RELEASE() FUTON_ACQUIRE_SHARED();
    void downgrade_upgradeable();

    /// Block as the functions without `scoped_` do, and give a guard, which unlocks at the end of its scope, or says why it
    /// holds nothing.
    Guard scoped_lock(TimeLimit limit = Deadline::never(), const std::stop_token& stop = {});
    Guard scoped_lock(const std::stop_token& stop);
    SharedGuard scoped_lock_shared(TimeLimit limit = Deadline::never(), const std::stop_token& stop = {});
    SharedGuard scoped_lock_shared(const std::stop_token& stop);
    UpgradeableGuard scoped_lock_upgradeable(TimeLimit limit = Deadline::never(), const std::stop_token& stop = {});
    UpgradeableGuard scoped_lock_upgradeable(const std::stop_token& stop);

    /// Awaitables that give such a guard, now or later, on this agent; `upgrade_async` gives a WaitResult.
    ///
    /// Cancel  as `core::await`: a lock that a destroyed coroutine was given goes to the next waiter, or is unlocked
    /// Throws  as `lock_shared` and `upgrade` do for what is misused; when awaited NoExecutor, as `core::await`
    Acquisition<Locking> scoped_lock_async(TimeLimit limit = Deadline::never(), std::stop_token stop = {});
    Acquisition<Locking> scoped_lock_async(std::stop_token stop);
    Acquisition<LockingShared> scoped_lock_shared_async(TimeLimit limit = Deadline::never(), std::stop_token stop = {});
    Acquisition<LockingShared> scoped_lock_shared_async(std::stop_token stop);
    Acquisition<LockingUpgradeable> scoped_lock_upgradeable_async(TimeLimit limit = Deadline::never(),
                                                                  std::stop_token stop = {});
    Acquisition<LockingUpgradeable> scoped_lock_upgradeable_async(std::stop_token stop);
    Acquisition<Upgrading> upgrade_async(TimeLimit limit = Deadline::never(), std::stop_token stop = {});
    Acquisition<Upgrading> upgrade_async(std::stop_token stop);

    /// Awaitables that lock, now or later, on this agent; the caller unlocks by hand. Those with `scoped_` are safer.
    ///
    /// Throws  as those; std::system_error (operation_canceled) in a coroutine that is not futon's, if its agent ends first:
    ///         then the lock is not the caller's
    Holding<Locking> lock_async();
    Holding<LockingShared> lock_shared_async();
    Holding<LockingUpgradeable> lock_upgradeable_async();

    /// Run `f()` while holding the lock exclusively, or shared: at once if it is open in that mode, else later, on this agent's
    /// executor. If `f` returns a promise (a coroutine's, say), the lock is held until that has settled.
    ///
    /// Returns  a promise of what `f` returns. An exception of `f` releases the lock and goes to the promise
    /// Cancel   dropping the promise does not keep `f` from running; the end of the event loop does
    /// Throws   NoExecutor; std::bad_alloc. `f` has not run then
    template <class F>
    auto execute_locked(F f) -> Promise<typename detail::Unwrapped<std::invoke_result_t<F&>>::Type>;
    template <class F>
    auto execute_locked_shared(F f) -> Promise<typename detail::Unwrapped<std::invoke_result_t<F&>>::Type>;

    /// The operations that these functions do, for `select` and the drivers: they yield a Guard, a SharedGuard, an
    /// UpgradeableGuard, and a WaitResult. Throw  as the awaitables
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

    /// Tells the order of locking of a wait that has no end but the lock, and what it has locked.
    template <class Lock>
    WaitResult ordered(TimeLimit limit, Lock lock) {
        const Deadline deadline = limit.deadline();
        if (deadline.is_never()) detail::LockOrder::before_lock(this);
        const WaitResult result = lock(deadline);
        if (result == WaitResult::ok) detail::LockOrder::locked(this);
        return result;
    }

    template <class Op, class F>
    auto call_holding(Op op, F f) -> Promise<typename detail::Unwrapped<std::invoke_result_t<F&>>::Type>;

    WaitResult lock_contended(Deadline deadline, const std::stop_token& stop);
    WaitResult lock_shared_contended(Deadline deadline, const std::stop_token& stop);
    WaitResult lock_upgradeable_contended(Deadline deadline, const std::stop_token& stop);

    Word word_;
};

static_assert(sizeof(SharedLock) == 8);
#ifndef FUTON_TELL_LOCK_ORDER
static_assert(std::is_trivially_destructible_v<SharedLock>);
#endif

}  // namespace futon

#include <futon/sync/shared_lock_guards.hpp>  // its operations, and what they yield
#include <futon/sync/shared_lock_timed.hpp>   // the names of std::shared_timed_mutex

#include <futon/detail/end.hpp>
