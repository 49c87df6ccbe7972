// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <futon/core/probe.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/detail/chrono.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/view.hpp>
#include <futon/limits.hpp>
#include <futon/sync/async_lock.hpp>
#include <futon/sync/condition_result.hpp>
#include <futon/wait_result.hpp>

namespace futon {

class SharedArrayBuffer;

/// An owner of an AsyncLock that a wait at a condition can release and acquire again.
template <class T>
concept LockOwner = std::same_as<T, AsyncLock::Guard> || std::same_as<T, std::unique_lock<AsyncLock>>;

/// A condition variable for threads that may block and event loops that must not, used with an `AsyncLock`. Use it to
/// wait until data that the lock protects has changed. A flag or a count needs no lock: use `Event` or `Semaphore`.
///
///     std::unique_lock hold(lock);
///     ready.wait(hold, [&] { return !items.empty(); });                  // a thread that may block
///
///     auto guard = co_await lock.scoped_lock_async();
///     co_await ready.wait_async(guard, [&] { return !items.empty(); });  // a coroutine
///
///     ready.notify_one();                                                // any agent, best with the lock held
///
/// Four bytes, zero without waiters: it can be a member, a global, or lie in a SharedArrayBuffer.
///
/// | to wait                      | threads and tasks that may | yields                                        |
/// |------------------------------|----------------------------|-----------------------------------------------|
/// | wait                         | agents that may block      | WaitResult; with a predicate whether it holds |
/// | wait_async                   | coroutines                 | the same                                      |
/// | waiting                      | drivers, `select`          | a guard that owns the lock, and a WaitResult  |
///
/// Wakes     a wait ends with `ok` only after a notification made after the wait began; there are no spurious wake-ups.
///           While a waiter is queued, no notification is lost: if `notify_one` chose a waiter that is gone by then (a
///           destroyed coroutine, a dropped promise, an ended loop, a select that made another choice), the
///           notification is made again.
/// Fairness  waiters are notified in the order in which they began to wait. If the lock is held, they are moved to its
///           queue in that order instead of being woken.
/// Limits    a deadline or a stop ends the wait for a notification, but not the wait for the lock that follows. As with
///           std::condition_variable, the caller owns the lock in the end. A waiter that was notified before its
///           deadline counts as notified, even if it still waits for the lock then.
/// Ordering  as the lock.
/// Cancel    a deadline, a stop; destroying the coroutine, or the end of its agent. Only after the last two is the lock
///           not owned.
/// Lifetime  a notification does not touch the condition once a waiter that it serves may have returned.
/// Requires  at any time all waiters use the same lock. The condition is neither destroyed nor moved while a waiter is
///           queued, and the lock is not destroyed during a notification.
class FUTON_API Condition {
public:
    // clang-format off
    class Waiting; class AwaitWait; class AwaitUntilBase;
    template <std::predicate Predicate> class AwaitUntil;

    /// How a wait ended. `guard` owns the lock again, even if `result` is `timed_out` or `cancelled`. If the waiting
    /// agent ended first, `guard` owns nothing and `result` is `cancelled`.
    struct Wakeup {
        AsyncLock::Guard guard;  ///< owns the lock again
        WaitResult result;       ///< `ok`, `timed_out` or `cancelled`
    };

    static constexpr std::chrono::microseconds shortest_wait{50};  ///< a wait releases the lock for this long at least

    constexpr Condition() noexcept = default;
    Condition(const Condition&) = delete; Condition& operator=(const Condition&) = delete;

    /// Returns the condition that lies in a buffer. All views of the same bytes are the same condition; nothing but
    /// conditions may wait there.
    ///
    /// Throws  std::out_of_range if `byte_offset` is not a multiple of four, or it would end outside the buffer
    template <std::same_as<SharedArrayBuffer> Buffer>  // so that this header need not include it
    static Condition& at(Buffer& buffer, std::size_t byte_offset = 0) {
        return detail::object_at<Condition>(buffer, byte_offset);
    }

    /// Releases the lock; blocks until the condition is notified, or the limits are over; then locks again. Even if the
    /// deadline has passed already, the lock is released for `shortest_wait`, so a polling loop lets others in. If a
    /// stop is requested already, the lock is not released.
    ///
    /// Returns  `ok`, `timed_out` or `cancelled`; `lock` owns the lock again
    /// Threads  agents that may block
    /// Throws   BlockingForbidden if the agent may not block; std::system_error: operation_not_permitted if `lock` owns
    ///          no lock, or one that is not held; invalid_argument if waiters with another lock are queued. `lock` is
    ///          unchanged then
    template <LockOwner Lock> WaitResult wait(Lock& lock) { return wait(lock, Limits()); }
    template <LockOwner Lock> [[nodiscard]] WaitResult wait(Lock& lock, const Limits& limits);

    /// Waits until `holds()` is true. It is called with the lock held: at once, and after each notification. If it
    /// throws, so does the wait, with the lock held. Otherwise as above.
    ///
    /// Returns  whether it holds, and if not, what ended the wait. A predicate that holds wins over limits that are over
    template <LockOwner Lock, std::predicate Holds> PredicateResult wait(Lock& lock, Holds holds, const Limits& limits = {});

    /// The same under the names, with the argument order and the results of std::condition_variable_any. A time point
    /// of a clock that can be set is converted when the wait begins. If that clock has not reached it when the time is
    /// over, a wait without a predicate ends with `no_timeout`.
    template <LockOwner L, std::predicate Holds> PredicateResult wait(L& lock, const std::stop_token& stop, Holds holds);
    template <LockOwner L, class R, class P> TimeoutStatus wait_for(L& lock, std::chrono::duration<R, P> time);
    template <LockOwner L, class R, class P, std::predicate Holds>
    PredicateResult wait_for(L& lock, std::chrono::duration<R, P> time, Holds holds);
    template <LockOwner L, class R, class P, std::predicate Holds>
    PredicateResult wait_for(L& lock, const std::stop_token& stop, std::chrono::duration<R, P> time, Holds holds);
    template <LockOwner L, class C, class D> TimeoutStatus wait_until(L& lock, const std::chrono::time_point<C, D>& time);
    template <LockOwner L, class C, class D, std::predicate Holds>
    PredicateResult wait_until(L& lock, const std::chrono::time_point<C, D>& time, Holds holds);
    template <LockOwner L, class C, class D, std::predicate Holds>
    PredicateResult wait_until(L& lock, const std::stop_token& stop, const std::chrono::time_point<C, D>& time, Holds holds);

    // Near misses. Compilers quote the line that declares a deleted function, and with it the advice.
    template <class Lock> requires(!LockOwner<std::remove_cvref_t<Lock>>)
    void wait(Lock&&, const auto&...) = delete;  // futon: its lock is an AsyncLock: give a Guard, a unique_lock, access.guard()
    template <class Lock> requires(!LockOwner<std::remove_cvref_t<Lock>>)
    void wait_for(Lock&&, const auto&...) = delete;  // futon: its lock is an AsyncLock: give a Guard, a unique_lock, access.guard()
    template <class Lock> requires(!LockOwner<std::remove_cvref_t<Lock>>)
    void wait_until(Lock&&, const auto&...) = delete;  // futon: its lock is an AsyncLock: give a Guard, a unique_lock, access.guard()
    template <LockOwner Lock, std::convertible_to<Limits> Time, std::predicate Predicate>
    void wait(Lock&, const Time&, Predicate) = delete;  // futon: write wait(lock, predicate, 5ms), or wait_for(lock, 5ms, predicate)
    template <LockOwner Lock>
    void wait_for(Lock&, const auto&...) = delete;  // futon: write wait_for(lock, 5ms), or wait_for(lock, 5ms, predicate); wait(lock) has no limit
    template <LockOwner Lock>
    void wait_until(Lock&, const auto&...) = delete;  // futon: write wait_until(lock, time_point), or wait(lock, deadline)

    /// `wait` for coroutines: `co_await` gives a WaitResult, or with a predicate a PredicateResult, on this agent.
    /// `guard` owns the lock again afterwards. If the agent ended first, it owns nothing, the predicate is not asked,
    /// and a coroutine of another library is resumed with `cancelled`. Allocates nothing.
    ///
    /// Throws  as `wait`; when awaited: NoExecutor if the thread has no executor, or if there is a deadline and the
    ///         executor keeps no timers. The lock is not released then
    AwaitWait wait_async(AsyncLock::Guard& guard, Limits limits = {});
    template <std::predicate Holds> AwaitUntil<Holds> wait_async(AsyncLock::Guard& guard, Holds holds, Limits limits = {});

    template <class Lock> requires(!std::same_as<std::remove_cvref_t<Lock>, AsyncLock::Guard>)
    void wait_async(Lock&&, const auto&...) = delete;  // futon: a coroutine gives a Guard, of co_await lock.scoped_lock_async()
    template <std::convertible_to<Limits> Time, std::predicate Predicate>
    void wait_async(AsyncLock::Guard&, const Time&, Predicate) = delete;  // futon: write wait_async(guard, predicate, 5ms)

    /// `wait` as an operation, for `select`, `futon::promise_of` and the drivers of `core`. Yields a Wakeup. It
    /// releases the lock once it is queued; also if a select makes another choice, if the operation is never used, and
    /// if this throws std::system_error as `wait`.
    [[nodiscard]] Waiting waiting(AsyncLock::Guard guard);

    /// Notifies the waiter that has waited longest. If the lock is held, by the caller or another owner, the waiter is
    /// moved to the lock's queue; else it is woken to take the lock. Any agent.
    ///
    /// Returns  how many waiters were woken or moved: 1, or 0 if none was queued. A select that is being decided counts
    /// Loops    if that waiter is a task, it keeps the notification even while its loop is busy or does not run. A
    ///          thread behind it gets the next notification, or this one if the task ends. Where threads and loops wait
    ///          for the same change, prefer `notify_all`: it tells all of them, and the lock does not wait for a loop
    ///          that does not run
    /// Cost     a load if no waiter is queued; else short locks of the condition's queue and the lock's
    std::size_t notify_one() noexcept;

    /// Notifies all waiters that are queued now. If the lock is held, they are moved to its queue, and its unlock wakes
    /// the first. Else the lock is taken and released on their behalf, and one is woken. Any agent.
    ///
    /// Returns  how many waiters were woken or moved
    /// Cost     as `notify_one`, plus work proportional to the waiters. No thread is woken for a lock that is held
    std::size_t notify_all() noexcept;

private:
    static constexpr std::uint32_t has_waiters = 1;  // a bit of the word; the others are a tag of the waiters' lock

    enum class Notification : std::uint8_t { none = 0, one = 2, all = 3 };  // what a wake gives a waiter as its token
    class Peek; class Waking; struct Move;
    // clang-format on
    static std::uint32_t tag_of(const AsyncLock& lock) noexcept;
    bool has_waiters_now() const noexcept;
    std::size_t notify(std::size_t count, Notification kind) noexcept;
    AsyncLock* lock_of_first() noexcept;
    void require_usable(const AsyncLock* lock);
    static AsyncLock* lock_of(std::unique_lock<AsyncLock>& lock) noexcept;
    static AsyncLock* lock_of(AsyncLock::Guard& guard) noexcept;
    Waiting waiting_or_keeping(AsyncLock::Guard& guard) noexcept;
    WaitResult wait_with(AsyncLock::Guard& guard, const Limits& limits);
    static Limits no_sooner_than_shortest(const Limits& limits) noexcept;

    detail::Atomic<std::uint32_t> word_{0};
    [[no_unique_address]] core::probe::Lifetime lifetime_;
};

}  // namespace futon

#include <futon/detail/sync/condition_operation.hpp>  // how it notifies, and how threads and tasks wait

#include <futon/detail/end.hpp>
