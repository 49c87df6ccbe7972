// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include <futon/agent.hpp>
#include <futon/core/arbiter.hpp>
#include <futon/core/operation.hpp>
#include <futon/core/probe.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/detail/chrono.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/lock_order.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/thread_safety.hpp>
#include <futon/detail/time_points.hpp>
#include <futon/detail/view.hpp>
#include <futon/promise.hpp>
#include <futon/sync/fairness.hpp>
#include <futon/time_limit.hpp>
#include <futon/wait_result.hpp>
#include <futon/word.hpp>

namespace futon {

class SharedArrayBuffer;

namespace detail {

/// A lock for `core::Arbiter`: the resource that one caller has, or none.
struct LockRules {
    using Word = std::uint32_t;
    static constexpr bool is_uniform = true;
    static constexpr core::ResourceState held = 1;
    static constexpr core::ResourceState abandoned = 2;  // an owner was gone, and no owner since was told

    static constexpr bool can_serve(core::ResourceState state, std::uint64_t /*one*/) noexcept {
        return (state & held) == 0;
    }
    static constexpr core::ResourceState taken(core::ResourceState state, std::uint64_t /*one*/) noexcept {
        return state | held;
    }
    static constexpr core::ResourceState returned(core::ResourceState state, std::uint64_t /*one*/) noexcept {
        return state & ~held;
    }
    static constexpr bool may_serve(core::ResourceState state) noexcept { return (state & held) == 0; }
    FUTON_API static const core::ArbiterBase<Word>::Rules lasting;
};

}  // namespace detail

/// A mutex for threads that may block and event loops that must not: one word, one wait queue for both.
///
///     futon::AsyncLock lock;
///     std::scoped_lock hold(lock);                          // a thread that may block
///     lock.execute_locked([&] { ++shared; });               // an event loop: now if it is free, else later
///     auto guard = co_await lock.scoped_lock_async(5ms);    // a coroutine
///
/// Four bytes; its value is 0 when free, 8 if strict: it can be a member, a global, or lie in a SharedArrayBuffer. A
/// standard TimedLockable.
///
/// | to lock it                              | threads and tasks that may | if it is held                        |
/// |-----------------------------------------|----------------------------|--------------------------------------|
/// | lock, scoped_lock, try_lock_for, _until | agents that may block      | blocks; else BlockingForbidden       |
/// | try_lock                                | any                        | returns false                        |
/// | execute_locked                          | agents with an executor    | the function runs later              |
/// | lock_async, scoped_lock_async           | coroutines                 | the coroutine is suspended           |
/// | locking                                 | drivers, `select`          | as the driver waits                  |
///
/// Fairness  a thread that finds it free may take it past those that are queued. Once in each `handoff_threshold` an unlock
///           hands the lock off to the first in the queue. A waiter that was woken before that, and finds that another was
///           faster, keeps its place. So a waiter waits for one threshold for each waiter before it and one for itself,
///           beside what the owners and the processors take, and one more each time that a handoff falls due while it is
///           woken and not yet back. A lock made with `Fairness::strict` is handed off at each unlock, and `unlock_fair` does so
///           for any lock.
/// Order     a strict lock serves threads and tasks in the order in which they were queued. Overtaken is only a task that came
///           too late for an offer that was as long as its loop had shown to need, or whose loop is in a turn longer
///           than any of late; see `core::Arbiter`.
/// Loops     to a task of an event loop, which may not run, the lock is only offered, also if it is strict, for as long as its
///           loop takes to look at its jobs. Once the offer has expired, others that wait, or come, may take the lock; the
///           task keeps its place. An unlock on the thread that runs the loop of the first in the queue offers the lock at
///           once, where no thread waits and the loop can tell (`Waiter::is_here`). See `core::Arbiter`.
/// Ordering  what happened before an unlock happens before what follows the next lock.
/// Lifetime  unlock does not touch the lock after it has released it, so the next owner may destroy it.
/// Requires  it is not destroyed or moved while a waiter is queued for it. It is not recursive.
class FUTON_API FUTON_CAPABILITY("lock") AsyncLock : private core::Arbiter<detail::LockRules> {
public:
    class Guard;
    class Locking;
    class Acquisition;
    class ScopedAcquisition;

    /// How long there may be no handoff while waiters are queued.
    static constexpr std::chrono::milliseconds handoff_threshold = core::handoff_threshold;

    constexpr AsyncLock() noexcept : AsyncLock(Fairness::bounded) {}
    constexpr explicit AsyncLock(Fairness fairness) noexcept : Arbiter(free, fairness) {
        detail::LockOrder::made(this);
    }
#ifdef FUTON_TELL_LOCK_ORDER
    constexpr ~AsyncLock() {
        detail::LockOrder::ended(this);
    }
#endif
    AsyncLock(const AsyncLock&) = delete;
    AsyncLock& operator=(const AsyncLock&) = delete;

    /// The lock that lies in a buffer. All views of the same bytes are the same lock; only locks may wait there.
    ///
    /// Throws  std::out_of_range if `byte_offset` is no multiple of four, or the lock would end outside the buffer
    template <std::same_as<SharedArrayBuffer> Buffer>  // that a lock alone need not know
    static AsyncLock& at(Buffer& buffer, std::size_t byte_offset = 0) {
        return detail::object_at<AsyncLock>(buffer, byte_offset);
    }

    /// The lock that lies in a word of four bytes, wherever that is.
    template <WaitInteger T>
    static AsyncLock& at(futon::Word<T> word) noexcept requires(sizeof(T) == sizeof(std::uint32_t)) {
        return *std::launder(reinterpret_cast<AsyncLock*>(word.address()));
    }

    /// Blocks until the caller owns the lock.
    ///
    /// Threads  agents that may block.
    /// Throws   BlockingForbidden on an agent that may not, before it looks at the lock
    /// Cost     a compare-exchange or two if it is free; else up to ten microseconds of spinning before each sleep
    void lock() FUTON_ACQUIRE() {
        require_can_block("futon::AsyncLock::lock");
        detail::LockOrder::before_lock(this);
        std::uint32_t seen = free;
        if (word_.compare_exchange_strong(seen, held, std::memory_order_acquire,    // [lock-release]
                                          std::memory_order_relaxed)) [[likely]] {  // retried with care when contended
            core::probe::acquired(this);
        } else {
            lock_contended(seen);
        }
        detail::LockOrder::locked(this);
    }

    /// Blocks until the caller owns the lock, the time is over, or a stop is requested.
    ///
    /// Returns  `ok` if the caller owns the lock, else `timed_out` or `cancelled`
    /// Threads  as `lock()`. Throws  as `lock()`
    [[nodiscard]] WaitResult lock(TimeLimit limit, const std::stop_token& stop = {}) {
        require_can_block("futon::AsyncLock::lock");
        return try_lock_until(limit.deadline(), stop);
    }
    [[nodiscard]] WaitResult lock(const std::stop_token& stop) {
        return lock(Deadline::never(), stop);
    }

    /// Block as `lock` does, and give a guard, which unlocks at the end of its scope, or says why it owns nothing.
    Guard scoped_lock(TimeLimit limit = Deadline::never(), const std::stop_token& stop = {});
    Guard scoped_lock(const std::stop_token& stop);

    /// Blocks until the caller owns the lock, or for this time. Returns whether the caller owns it.
    /// Threads  as `lock()`. Throws  as `lock()`
    template <class Rep, class Period>
    bool try_lock_for(std::chrono::duration<Rep, Period> time) FUTON_TRY_ACQUIRE(true) {
        require_can_block("futon::AsyncLock::try_lock_for");
        return try_lock_until(Deadline(time));
    }

    /// Blocks until the caller owns the lock, or the deadline has come. Returns whether the caller owns it.
    /// Threads  as `lock()`. Throws  as `lock()`
    bool try_lock_until(Deadline time) FUTON_TRY_ACQUIRE(true) {
        return try_lock_until(time, {}) == WaitResult::ok;
    }

    /// The same for time points of any clock, as std::timed_mutex takes them.
    template <class Clock, class Duration>
    bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time) FUTON_TRY_ACQUIRE(true) {
        return detail::until(time, [this](Deadline deadline) { return try_lock_until(deadline, {}); });
    }

    /// The same with a stop token. Returns `ok`, `timed_out` or `cancelled`.
    [[nodiscard]] WaitResult try_lock_until(Deadline deadline, const std::stop_token& stop) {
        require_can_block("futon::AsyncLock::try_lock_until");
        if (deadline.is_never()) detail::LockOrder::before_lock(this);
        const WaitResult result = lock_until(deadline, stop);
        if (result == WaitResult::ok) detail::LockOrder::locked(this);
        return result;
    }

    /// Takes the lock if it is free. Any agent.
    bool try_lock() noexcept FUTON_TRY_ACQUIRE(true) {
        const bool is_locked = try_lock_uncontended() || try_lock_contended();
        if (is_locked) {
            core::probe::acquired(this);
            detail::LockOrder::locked(this);
        }
        return is_locked;
    }

    /// Releases the lock and, if a waiter is queued, wakes the first, or hands the lock off to it (see Fairness). Any
    /// agent; it need not be the one that locked it.
    ///
    /// Throws  std::system_error (operation_not_permitted) if it is not held; the word is unchanged
    void unlock() FUTON_RELEASE() {
        if (!try_unlock()) [[unlikely]]
            throw_not_held("futon::AsyncLock::unlock: the lock is not held");
    }

    /// The same, but returns false if the lock is not held.
    bool try_unlock() noexcept FUTON_RELEASE() {
        core::probe::releasing(this);
        detail::LockOrder::unlocking(this);
        std::uint32_t expected = held;
        return word_.compare_exchange_strong(expected, free, std::memory_order_release,  // [lock-release]
                                             std::memory_order_relaxed) ||               // retried with care there
               unlock_contended();
    }

    /// Releases the lock and, if a waiter is queued, hands it off to the first, whatever the time: a thread owns it at once, a
    /// task is offered it (see Fairness). Any agent, as `unlock`. A strict lock is always unlocked like this.
    ///
    /// Throws  std::system_error (operation_not_permitted) if it is not held; the word is unchanged
    /// Cost    where waiters are queued, a wake-up, and the lock is idle until it has arrived
    void unlock_fair() FUTON_RELEASE() {
        if (!try_unlock_fair()) [[unlikely]]
            throw_not_held("futon::AsyncLock::unlock_fair: the lock is not held");
    }

    /// Unlocks in the place of an owner that is gone: what the lock protects may be half done. Any thread, once for each
    /// acquisition, as with `unlock`.
    ///
    /// Returns  false if the lock is not held; nothing changes then
    bool abandon() noexcept FUTON_RELEASE();

    /// Whether an owner before the caller, who owns the lock now, was gone without having unlocked, and no owner since has
    /// been told. Each abandonment is told once. Cost  a load, where none was
    bool take_abandonment() noexcept {
        const bool is_abandoned = (word_.load(std::memory_order_relaxed) & abandoned) != 0;  // ordered by the lock
        if (is_abandoned) word_.fetch_and(~abandoned, std::memory_order_relaxed);            // by the owner
        return is_abandoned;
    }

    /// Runs `f()` while holding the lock: at once if it is free, else later, on this agent's executor. If `f` returns
    /// a promise (a coroutine's, say), the lock is held until that has settled.
    ///
    /// Returns   a promise of what `f` returns. An exception of `f` releases the lock and goes to the promise.
    /// Cancel    dropping the promise does not keep `f` from running; the end of the event loop does.
    /// Lifetime  `f` is kept, with all that it captured, until it has returned and the promise that it returned has settled: so a
    ///           coroutine may refer to its captures. They are destroyed after the lock is released, before what listens to
    ///           the promise runs; and with the event loop, if that ends first.
    /// Throws    NoExecutor; std::bad_alloc. `f` has not run then.
    template <class F>
    auto execute_locked(F f) -> Promise<typename detail::Unwrapped<std::invoke_result_t<F&>>::Type>;

    /// An awaitable that gives a `Guard`, now or later, on this agent. The guard unlocks at the end of its scope.
    ///
    /// The guard owns the lock if its `result()` is `ok`; else the deadline or the stop came first, or the event loop
    /// ended. A handoff that came first counts: it is a guard that owns.
    ///
    /// Throws  NoExecutor, when awaited on a thread without an executor, or with a deadline on one that keeps no timers
    ScopedAcquisition scoped_lock_async();
    ScopedAcquisition scoped_lock_async(TimeLimit limit);
    ScopedAcquisition scoped_lock_async(TimeLimit limit, std::stop_token stop);
    ScopedAcquisition scoped_lock_async(std::stop_token stop);

    /// An awaitable that locks, now or later, on this agent; the caller unlocks by hand. `scoped_lock_async` is safer.
    ///
    /// Throws  NoExecutor as above; std::system_error (operation_canceled) in a coroutine that is not futon's, if its agent
    ///         ends first: then the lock is not the caller's
    Acquisition lock_async();

    // What is almost right. Compilers quote the row with the name, and so what it says.
    // clang-format off
    template <class T>
        requires(!std::convertible_to<T, TimeLimit> && !std::convertible_to<T, std::stop_token>)
    void scoped_lock_async(T&&) = delete;  // futon: it takes no function: write execute_locked(f), or co_await it
    template <class... Ts>
        requires(sizeof...(Ts) != 0)
    void lock_async(Ts&&...) = delete;  // futon: it takes nothing: write execute_locked(f), or co_await scoped_lock_async(limit, stop)
    // clang-format on

    /// The operation that `lock` does, for `select` and the drivers of `core`: it yields a Guard.
    Locking locking() noexcept;

private:
    // The word is an arbiter's: see `core::ArbiterBase`. An uncontended lock is never more than `free` or `held`. With any
    // other bit the inline functions fail, and those for contention do the work.
    static constexpr std::uint32_t free = 0;
    static constexpr std::uint32_t held = detail::LockRules::held;
    static constexpr std::uint32_t abandoned = detail::LockRules::abandoned;
    static constexpr std::uint64_t one = 1;  // what a request asks for

    static void require_can_block(const char* what) {
        if (!detail::this_thread_can_block()) [[unlikely]]
            detail::throw_blocking_forbidden(what);
    }

    bool try_lock_uncontended() noexcept {
        std::uint32_t seen = free;
        return word_.compare_exchange_strong(seen, held, std::memory_order_acquire,  // [lock-release]
                                             std::memory_order_relaxed);             // retried with care when contended
    }

    friend class Condition;  // its waiters are moved to the lock's queue

    void lock_contended(std::uint32_t seen);
    WaitResult lock_until(Deadline deadline, const std::stop_token& stop);
    bool try_lock_contended() noexcept;
    bool try_unlock_fair() noexcept;
    bool unlock_contended() noexcept;
    bool release_contended(core::Handoff handoff) noexcept;
    [[noreturn]] static void throw_not_held(const char* what);
    [[noreturn]] static void throw_agent_ended();

    template <class F>
    auto call_locked(F f) -> Promise<typename detail::Unwrapped<std::invoke_result_t<F&>>::Type>;
};

static_assert(sizeof(AsyncLock) == 4);
#ifndef FUTON_TELL_LOCK_ORDER
static_assert(std::is_trivially_destructible_v<AsyncLock>);
#endif

}  // namespace futon

#include <futon/sync/async_lock_operation.hpp>  // its guard, "lock it" as an operation, and how tasks lock it

#include <futon/detail/end.hpp>
