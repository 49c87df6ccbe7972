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
#include <futon/core/operation/arbiter.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/core/probe.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/detail/chrono.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/lock_order.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/sync/time_points.hpp>
#include <futon/detail/thread_safety.hpp>
#include <futon/detail/view.hpp>
#include <futon/fairness.hpp>
#include <futon/limits.hpp>
#include <futon/promise.hpp>
#include <futon/wait_result.hpp>
#include <futon/word.hpp>

namespace futon {

class SharedArrayBuffer;

namespace detail {

/// A lock as the resource of a `core::Arbiter`: one caller holds it, or none does.
struct LockRules {
    using Word = std::uint32_t;
    static constexpr bool is_uniform = true;
    static constexpr core::ResourceState held = 1;
    static constexpr core::ResourceState abandoned = 2;  // an owner ended without unlocking; not reported yet

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
/// Four bytes, 0 when free, 8 when free and strict: it can be a member, a global, or lie in a SharedArrayBuffer. It
/// meets the standard's TimedLockable. For a value that only its lock's owner may reach, see `Guarded`.
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
///           strict. The offer lasts as long as the loop takes to look at its jobs. After that, other waiters and
///           callers may take the lock; the task keeps its place. If no thread waits and the first waiter's loop runs
///           on the unlocking thread, and can tell so (`Waiter::is_here`), the unlock offers the lock at once. See
///           `core::Arbiter`.
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

    /// Returns the lock that lies in a buffer. All views of the same bytes are the same lock; nothing but locks may
    /// wait there.
    ///
    /// Throws  std::out_of_range if `byte_offset` is not a multiple of four, or the lock would end outside the buffer
    template <std::same_as<SharedArrayBuffer> Buffer>  // so that this header need not include it
    static AsyncLock& at(Buffer& buffer, std::size_t byte_offset = 0) {
        return detail::object_at<AsyncLock>(buffer, byte_offset);
    }

    /// Returns the lock that lies in a word of four bytes, in any memory.
    template <WaitInteger T>
    static AsyncLock& at(futon::Word<T> word) noexcept requires(sizeof(T) == sizeof(std::uint32_t)) {
        return *std::launder(reinterpret_cast<AsyncLock*>(word.address()));
    }

    /// Blocks until the caller owns the lock.
    ///
    /// Threads  agents that may block.
    /// Throws   BlockingForbidden if the agent may not block, even if the lock is free
    /// Cost     a compare-exchange or two if the lock is free; else up to ten microseconds of spinning before each
    ///          sleep
    void lock() FUTON_ACQUIRE() {
        require_can_block("futon::AsyncLock::lock");
        detail::LockOrder::before_lock(this);
        std::uint32_t seen = free;
        if (word_.compare_exchange_strong(seen, held, std::memory_order_acquire,    // [lock-release]
                                          std::memory_order_relaxed)) [[likely]] {  // the contended path retries
            core::probe::acquired(this);
        } else {
            lock_contended(seen);
        }
        detail::LockOrder::locked(this);
    }

    /// Blocks until the caller owns the lock, or the limits are over.
    ///
    /// Returns  `ok` if the caller owns the lock, else `timed_out` or `cancelled`
    /// Threads  as `lock()`
    /// Throws   as `lock()`
    [[nodiscard]] WaitResult lock(const Limits& limits) {
        require_can_block("futon::AsyncLock::lock");
        return lock_limited(limits);
    }

    /// Blocks as `lock` does, and returns a guard. The guard unlocks at the end of its scope; if it owns no lock, it
    /// says why.
    Guard scoped_lock(const Limits& limits = {});

    /// Blocks for at most this time. Returns whether the caller owns the lock.
    ///
    /// Threads  as `lock()`
    /// Throws   as `lock()`
    template <class Rep, class Period>
    bool try_lock_for(std::chrono::duration<Rep, Period> time) FUTON_TRY_ACQUIRE(true) {
        require_can_block("futon::AsyncLock::try_lock_for");
        return try_lock_until(Deadline(time));
    }

    /// Blocks until the deadline at most. Returns whether the caller owns the lock.
    ///
    /// Threads  as `lock()`
    /// Throws   as `lock()`
    bool try_lock_until(Deadline time) FUTON_TRY_ACQUIRE(true) {
        require_can_block("futon::AsyncLock::try_lock_until");
        return lock_limited(time) == WaitResult::ok;
    }

    /// The same for a time point of any clock, as std::timed_mutex takes it.
    template <class Clock, class Duration>
    bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time) FUTON_TRY_ACQUIRE(true) {
        require_can_block("futon::AsyncLock::try_lock_until");
        return detail::until(time, [this](Deadline deadline) { return lock_limited(deadline); });
    }

    /// Takes the lock if it is free, without waiting. Any agent.
    bool try_lock() noexcept FUTON_TRY_ACQUIRE(true) {
        const bool is_locked = try_lock_uncontended() || try_lock_contended();
        if (is_locked) {
            core::probe::acquired(this);
            detail::LockOrder::locked(this);
        }
        return is_locked;
    }

    /// Releases the lock. If a waiter is queued, wakes the first, or hands the lock off to it (see Fairness). Any agent
    /// may unlock, not only the one that locked.
    ///
    /// Throws  std::system_error (operation_not_permitted) if the lock is not held; it is unchanged then
    void unlock() FUTON_RELEASE() {
        if (!try_unlock()) [[unlikely]]
            throw_not_held("futon::AsyncLock::unlock: the lock is not held");
    }

    /// As `unlock`, but returns false if the lock is not held.
    bool try_unlock() noexcept FUTON_RELEASE() {
        core::probe::releasing(this);
        detail::LockOrder::unlocking(this);
        std::uint32_t expected = held;
        return word_.compare_exchange_strong(expected, free, std::memory_order_release,  // [lock-release]
                                             std::memory_order_relaxed) ||               // unlock_contended retries
               unlock_contended();
    }

    /// Releases the lock, and hands it off to the first waiter even if no handoff is due: a thread owns it at once, a
    /// task is offered it (see Fairness). Use it where an owner locks again soon and others must get their share. Any
    /// agent. A strict lock always unlocks like this.
    ///
    /// Throws  std::system_error (operation_not_permitted) if the lock is not held; it is unchanged then
    /// Cost    if a waiter is queued, a wake-up; the lock is idle until the waiter runs
    void unlock_fair() FUTON_RELEASE() {
        if (!try_unlock_fair()) [[unlikely]]
            throw_not_held("futon::AsyncLock::unlock_fair: the lock is not held");
    }

    /// Unlocks on behalf of an owner that has ended. What the lock protects may be half changed, which the next owner
    /// learns from `take_abandonment`. Any thread, once for each acquisition, as `unlock`.
    ///
    /// Returns  false if the lock is not held; nothing changes then
    [[gnu::cold]] bool abandon() noexcept FUTON_RELEASE();

    /// Whether an earlier owner ended without unlocking. Only the owner of the lock may call this. Each abandonment is
    /// reported once: to the first owner that asks.
    ///
    /// Cost  a load if there was none
    bool take_abandonment() noexcept {
        const bool is_abandoned = (word_.load(std::memory_order_relaxed) & abandoned) != 0;  // the lock orders it
        if (is_abandoned) word_.fetch_and(~abandoned, std::memory_order_relaxed);            // only the owner clears it
        return is_abandoned;
    }

    /// Runs `f()` while holding the lock: at once if it is free, else later, on this agent's executor. If `f` returns a
    /// promise, as a coroutine does, the lock is held until that promise settles.
    ///
    /// Returns   a promise of what `f` returns. If `f` throws, the lock is released, and the promise gets the
    ///           exception.
    /// Cancel    dropping the promise does not stop `f` from running; the end of the event loop does.
    /// Lifetime  `f` and its captures live until `f` has returned and the promise that it returned has settled, so a
    ///           coroutine may refer to its captures. They are destroyed after the lock is released and before the
    ///           promise's continuations run. If the event loop ends first, they are destroyed with it.
    /// Throws    NoExecutor; std::bad_alloc. `f` has not run then.
    template <class F>
    auto execute_locked(F f) -> Promise<typename detail::Unwrapped<std::invoke_result_t<F&>>::Type>;

    /// Locks without blocking: `co_await` gives a `Guard`, and the coroutine goes on with this agent. The guard unlocks
    /// at the end of its scope.
    ///
    /// The guard owns the lock if its `result()` is `ok`. Else the deadline or the stop came first, or the event loop
    /// ended. If a handoff came before them, the guard owns the lock.
    ///
    /// Throws  when awaited: NoExecutor if the thread has no executor, or if there is a deadline and the executor keeps
    ///         no timers
    ScopedAcquisition scoped_lock_async(Limits limits = {});

    /// Locks without blocking: `co_await` gives nothing, and the caller unlocks by hand. `scoped_lock_async` is safer.
    ///
    /// Throws  NoExecutor as above; std::system_error (operation_canceled) in a coroutine of another library if its
    ///         agent ends first. The caller does not own the lock then
    Acquisition lock_async();

    // Near misses. Compilers quote the line that declares a deleted function, and with it the advice.
    // clang-format off
    template <class T>
        requires(!std::convertible_to<T, Limits>)
    void scoped_lock_async(T&&) = delete;  // futon: it takes no function: write execute_locked(f), or co_await it
    template <class... Ts>
        requires(sizeof...(Ts) != 0)
    void lock_async(Ts&&...) = delete;  // futon: it takes nothing: write execute_locked(f), or co_await scoped_lock_async(limits)
    // clang-format on

    /// `lock` as an operation, for `select` and the drivers of `core`. Yields a Guard.
    Locking locking() noexcept;

private:
    // The word belongs to the arbiter: see `core::ArbiterBase`. While the lock is uncontended, it is `free` or `held`
    // and nothing else. If any other bit is set, the inline functions fail, and the functions for contention do the
    // work.
    static constexpr std::uint32_t free = 0;
    static constexpr std::uint32_t held = detail::LockRules::held;
    static constexpr std::uint32_t abandoned = detail::LockRules::abandoned;
    static constexpr std::uint64_t one = 1;  // the amount of a request

    static void require_can_block(const char* what) {
        if (!detail::this_thread_can_block()) [[unlikely]]
            detail::throw_blocking_forbidden(what);
    }

    bool try_lock_uncontended() noexcept {
        std::uint32_t seen = free;
        return word_.compare_exchange_strong(seen, held, std::memory_order_acquire,  // [lock-release]
                                             std::memory_order_relaxed);             // the contended path retries
    }

    WaitResult lock_limited(const Limits& limits) {
        if (!limits.has_deadline()) detail::LockOrder::before_lock(this);
        const WaitResult result = lock_until(limits);
        if (result == WaitResult::ok) detail::LockOrder::locked(this);
        return result;
    }

    friend class Condition;  // moves its waiters to the lock's queue

    void lock_contended(std::uint32_t seen);
    WaitResult lock_until(const Limits& limits);
    bool try_lock_contended() noexcept;
    [[gnu::cold]] bool try_unlock_fair() noexcept;
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

#include <futon/detail/sync/async_lock_operation.hpp>  // Guard, Locking, and how tasks lock it

#include <futon/detail/end.hpp>
