// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>

#include <futon/core/operation/arbiter.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/lock_order.hpp>
#include <futon/detail/sync/lock_rules.hpp>
#include <futon/detail/thread_safety.hpp>
#include <futon/detail/view.hpp>
#include <futon/fairness.hpp>
#include <futon/limits.hpp>
#include <futon/promise.hpp>
#include <futon/sync/locked_result.hpp>
#include <futon/wait_result.hpp>
#include <futon/word.hpp>

namespace futon {

class SharedArrayBuffer;

/// A mutex for threads that may block and event loops that must not: one word, one wait queue for both. Use it where
/// threads and loops share data, and one at a time may use it. For a value that only its lock's owner may reach use
/// `Guarded`; for many readers and few writers `SharedLock`; for several locks at once `lock_all`.
///
///     futon::AsyncLock lock;
///     std::scoped_lock hold(lock);                          // a thread that may block
///     lock.execute_locked([&] { ++shared; });               // an event loop: now if it is free, else later
///     auto guard = co_await lock.scoped_lock_async(5ms);    // a coroutine
///
/// Four bytes, 0 when free, 8 when free and strict: it can be a member, a global, or lie in a SharedArrayBuffer. It
/// meets the standard's TimedLockable.
///
/// | to lock it                              | threads and tasks that may | if it is held                        |
/// |-----------------------------------------|----------------------------|--------------------------------------|
/// | lock, scoped_lock, try_lock_for, _until | agents that may block      | blocks; else BlockingForbidden       |
/// | try_lock                                | any                        | returns false                        |
/// | execute_locked                          | agents with an executor    | the function runs later              |
/// | lock_async, scoped_lock_async           | coroutines                 | the coroutine is suspended           |
/// | locking                                 | drivers, `select`          | the driver decides                   |
///
/// Fairness  a caller that finds the lock free may take it ahead of queued waiters. Once per `handoff_threshold` an
///           unlock hands it off to the first waiter in the queue instead. A woken waiter that loses the race for the
///           lock keeps its place. So a waiter waits for at most one threshold for each waiter before it and one for
///           itself, plus the time that owners and the scheduler take; and one more each time a handoff falls due after
///           it was woken and before it runs. A lock made with `Fairness::strict` is handed off at each unlock;
///           `unlock_fair` hands off any lock.
/// Order     a strict lock serves threads and tasks in queue order, with one exception: a task is overtaken if it
///           misses an offer that lasted as long as its loop has lately needed, or if its loop is in a turn longer than
///           any recent one. See `core::Arbiter`.
/// Loops     the loop of a queued task may not be running, so an unlock only offers the lock to the task, even if it is
///           strict: at once if no thread waits and the loop runs on the unlocking thread, and can tell that
///           (`Waiter::is_here`). The offer lasts as long as the loop takes to look at its jobs. After that, other
///           waiters and callers may take the lock; the task keeps its place. See `core::Arbiter`.
/// Ordering  everything before an unlock happens before everything after the next lock.
/// Lifetime  an unlock does not touch the lock after releasing it, so the next owner may destroy it.
/// Requires  the lock is neither destroyed nor moved while a waiter is queued. It is not recursive.
class FUTON_API FUTON_CAPABILITY("lock") AsyncLock : private core::Arbiter<detail::LockRules> {
public:
    class Guard;
    class Locking;
    class Acquisition;
    class ScopedAcquisition;

    /// The longest time without a handoff while waiters are queued.
    static constexpr std::chrono::milliseconds handoff_threshold = core::handoff_threshold;

    constexpr AsyncLock() noexcept : AsyncLock(Fairness::bounded) {}
    constexpr explicit AsyncLock(Fairness fairness) noexcept;
#ifdef FUTON_TELL_LOCK_ORDER
    constexpr ~AsyncLock();
#endif
    AsyncLock(const AsyncLock&) = delete;
    AsyncLock& operator=(const AsyncLock&) = delete;

    /// Returns the lock that lies in a buffer, or in a word of four bytes in any memory. All views of the same bytes are
    /// the same lock; nothing but locks may wait there.
    ///
    /// Throws  std::out_of_range if `byte_offset` is not a multiple of four, or the lock would end outside the buffer
    template <std::same_as<SharedArrayBuffer> Buffer>  // so that this header need not include it
    static AsyncLock& at(Buffer& buffer, std::size_t byte_offset = 0) {
        return detail::object_at<AsyncLock>(buffer, byte_offset);
    }
    template <WaitInteger T>
    static AsyncLock& at(futon::Word<T> word) noexcept requires(sizeof(T) == sizeof(std::uint32_t)) {
        return *std::launder(reinterpret_cast<AsyncLock*>(word.address()));
    }

    /// Blocks until the caller owns the lock, or the limits are over.
    ///
    /// Returns  with limits: `ok` if the caller owns the lock, else `timed_out` or `cancelled`
    /// Threads  agents that may block.
    /// Throws   BlockingForbidden if the agent may not block, even if the lock is free
    /// Cost     a compare-exchange or two if the lock is free; else up to ten microseconds of spinning before each
    ///          sleep
    void lock() FUTON_ACQUIRE();
    [[nodiscard]] WaitResult lock(const Limits& limits);

    /// The same, and returns a guard. The guard unlocks at the end of its scope; if it owns no lock, it says why.
    Guard scoped_lock(const Limits& limits = {});

    /// The same under the names of std::timed_mutex, whose time points may be of any clock. Return whether the caller
    /// owns the lock.
    template <class Rep, class Period>
    bool try_lock_for(std::chrono::duration<Rep, Period> time) FUTON_TRY_ACQUIRE(true);
    bool try_lock_until(Deadline time) FUTON_TRY_ACQUIRE(true);
    template <class Clock, class Duration>
    bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time) FUTON_TRY_ACQUIRE(true);

    /// Takes the lock if it is free, without waiting. Any agent.
    bool try_lock() noexcept FUTON_TRY_ACQUIRE(true);

    /// Releases the lock. If a waiter is queued, wakes the first, or hands the lock off to it (see Fairness). Any agent
    /// may unlock, not only the one that locked.
    ///
    /// Returns  `try_unlock`: false if the lock is not held; it is unchanged then
    /// Throws   `unlock`: std::system_error (operation_not_permitted) if the lock is not held; it is unchanged then
    void unlock() FUTON_RELEASE();
    bool try_unlock() noexcept FUTON_RELEASE();

    /// As `unlock`, but hands the lock off to the first waiter even if no handoff is due: a thread owns it at once, a
    /// task is offered it (see Fairness). Use it where an owner locks again soon and others must get their share. A
    /// strict lock always unlocks like this. If a waiter is queued, it costs a wake-up, and the lock is idle until the
    /// waiter runs.
    void unlock_fair() FUTON_RELEASE();

    /// Unlocks on behalf of an owner that has ended. What the lock protects may be half changed; `take_abandonment`
    /// tells the next owner so. Any thread, once for each acquisition, as `try_unlock`.
    [[gnu::cold]] bool abandon() noexcept FUTON_RELEASE();

    /// Whether an earlier owner ended without unlocking. Only the owner of the lock may call this. Each abandonment is
    /// reported once: to the first owner that asks. Costs a load if there was none.
    bool take_abandonment() noexcept;

    /// Runs `f()` while holding the lock: at once if it is free, else later, on this agent's executor. If `f` returns a
    /// promise, as a coroutine does, the lock is held until that promise settles.
    ///
    /// Returns   a promise of what `f` returns. If `f` throws, the lock is released, and the promise gets the exception
    /// Cancel    dropping the promise does not stop `f` from running; the end of the event loop does
    /// Lifetime  `f` and its captures live until `f` has returned and the promise that it returned has settled, so a
    ///           coroutine may refer to its captures. They are destroyed after the lock is released and before the
    ///           promise's continuations run. If the event loop ends first, they are destroyed with it
    /// Throws    NoExecutor; std::bad_alloc. `f` has not run then
    /// Cost      an allocation for the result if the lock is free, none if there is no result; else a coroutine
    template <class F>
    auto execute_locked(F f) -> Promise<LockedResult<F>>;

    /// Locks without blocking, for coroutines: `co_await` gives a Guard, and the coroutine goes on with this agent. The
    /// guard owns the lock if its `result()` is `ok`; else the deadline or the stop came first, or the event loop ended.
    /// A handoff that came before them wins. `lock_async` gives no guard, and the caller unlocks by hand.
    ///
    /// Throws  when awaited: NoExecutor if the thread has no executor, or if there is a deadline and the executor keeps
    ///         no timers; `lock_async` also std::system_error (operation_canceled) in a coroutine of another library if
    ///         its agent ends first. The caller does not own the lock then
    ScopedAcquisition scoped_lock_async(Limits limits = {});
    Acquisition lock_async();

    // Near misses. Compilers quote the line that declares a deleted function, and with it the advice.
    // clang-format off
    template <class T> requires(!std::convertible_to<T, Limits>)
    void scoped_lock_async(T&&) = delete;  // futon: it takes no function: write execute_locked(f), or co_await it
    template <class... Ts> requires(sizeof...(Ts) != 0)
    void lock_async(Ts&&...) = delete;  // futon: it takes nothing: write execute_locked(f), or co_await scoped_lock_async(limits)
    // clang-format on

    /// `lock` as an operation, for `select` and the drivers of `core`. Yields a Guard.
    Locking locking() noexcept;

private:
    static constexpr std::uint32_t free = 0;
    static constexpr std::uint32_t held = detail::LockRules::held;
    static constexpr std::uint32_t abandoned = detail::LockRules::abandoned;
    static constexpr std::uint64_t one = 1;  // the amount of a request
    friend class Condition;                  // moves its waiters to the lock's queue
    static void require_can_block(const char* what);
    bool try_lock_expected(std::uint32_t& seen) noexcept;
    WaitResult lock_limited(const Limits& limits);
    void lock_contended(std::uint32_t seen);
    WaitResult lock_until(const Limits& limits);
    bool try_lock_contended(std::uint32_t seen) noexcept;
    [[gnu::noinline]] bool note_taken(bool is_locked) noexcept;
    [[gnu::cold]] bool try_unlock_fair() noexcept;
    bool unlock_contended() noexcept;
    bool release_contended(core::Handoff handoff) noexcept;
    [[noreturn]] static void throw_not_held(const char* what);
    [[noreturn]] static void throw_agent_ended();
};

}  // namespace futon

#include <futon/detail/sync/async_lock_uncontended.hpp>  // what programs inline
#include <futon/sync/async_lock_guard.hpp>               // Guard, and what yields it

#include <futon/detail/end.hpp>
