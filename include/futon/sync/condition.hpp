// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include <futon/agent.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/sync/time_points.hpp>
#include <futon/detail/view.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/limits.hpp>
#include <futon/sync/async_lock.hpp>
#include <futon/sync/condition_result.hpp>
#include <futon/wait_result.hpp>

namespace futon {

class SharedArrayBuffer;

/// An owner of an AsyncLock that a wait at a condition can release and acquire again.
template <class T>
concept LockOwner = std::same_as<T, AsyncLock::Guard> || std::same_as<T, std::unique_lock<AsyncLock>>;

/// A condition variable for threads that may block and event loops that must not, used with an `AsyncLock`.
///
///     std::unique_lock hold(lock);
///     ready.wait(hold, [&] { return !items.empty(); });                  // a thread that may block
///
///     auto guard = co_await lock.scoped_lock_async();
///     co_await ready.wait_async(guard, [&] { return !items.empty(); });  // a coroutine
///
///     ready.notify_one();                                                // any agent, best with the lock held
///
/// Four bytes, zero without waiters: it can be a member, a global, or lie in a SharedArrayBuffer. Use it to wait until
/// data that an `AsyncLock` protects has changed.
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
    class Waiting;
    class AwaitWait;
    class AwaitUntilBase;
    template <std::predicate Predicate>
    class AwaitUntil;

    /// How a wait ended. `guard` owns the lock again, even if `result` is `timed_out` or `cancelled`. If the waiting
    /// agent ended first, `guard` owns nothing and `result` is `cancelled`.
    struct Wakeup {
        AsyncLock::Guard guard;  ///< owns the lock again
        WaitResult result;       ///< `ok`, `timed_out` or `cancelled`
    };

    static constexpr std::chrono::microseconds shortest_wait{50};  ///< a wait releases the lock for this long at least

    constexpr Condition() noexcept = default;
    Condition(const Condition&) = delete;
    Condition& operator=(const Condition&) = delete;

    /// Returns the condition that lies in a buffer. All views of the same bytes are the same condition; nothing but
    /// conditions may wait there.
    ///
    /// Throws  std::out_of_range if `byte_offset` is not a multiple of four, or the condition would end outside the
    ///         buffer
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
    template <LockOwner Lock>
    WaitResult wait(Lock& lock) {
        return wait(lock, Limits());
    }
    template <LockOwner Lock>
    [[nodiscard]] WaitResult wait(Lock& lock, const Limits& limits) {
        if (!detail::this_thread_can_block()) [[unlikely]]
            detail::throw_blocking_forbidden("futon::Condition::wait");
        require_usable(lock_of(lock));
        AsyncLock::Guard guard = take(lock);
        try {
            const WaitResult result = wait_with(guard, limits);
            put_back(lock, std::move(guard));
            return result;
        } catch (...) {
            give_back(lock, std::move(guard));
            throw;
        }
    }

    /// Waits until `holds()` is true. It is called with the lock held: at once, and after each notification.
    ///
    /// Returns  whether it holds, and if not, what ended the wait. A predicate that holds wins over a passed deadline
    ///          and a stop
    /// Threads  as above
    /// Throws   as above, and what `holds` throws, with the lock held
    template <LockOwner Lock, std::predicate Predicate>
    PredicateResult wait(Lock& lock, Predicate holds, const Limits& limits = {}) {
        if (!detail::this_thread_can_block()) [[unlikely]]
            detail::throw_blocking_forbidden("futon::Condition::wait");
        require_usable(lock_of(lock));
        const Limits shared = limits.from_now();  // by all the waits
        while (!holds()) {
            const WaitResult result = wait(lock, shared);
            const bool is_late = result == WaitResult::ok && shared.deadline().is_due();
            if (result != WaitResult::ok || is_late)
                return {static_cast<bool>(holds()), is_late ? WaitResult::timed_out : result};
        }
        return {true, WaitResult::ok};
    }

    /// The same under the names, with the argument order and the results of std::condition_variable_any. A time point
    /// of a clock that can be set is converted when the wait begins. If that clock has not reached it when the time is
    /// over, a wait without a predicate ends with `no_timeout`.
    template <LockOwner Lock, std::predicate Predicate>
    PredicateResult wait(Lock& lock, const std::stop_token& stop, Predicate holds);
    template <LockOwner Lock, class Rep, class Period>
    TimeoutStatus wait_for(Lock& lock, std::chrono::duration<Rep, Period> time);
    template <LockOwner Lock, class Rep, class Period, std::predicate Predicate>
    PredicateResult wait_for(Lock& lock, std::chrono::duration<Rep, Period> time, Predicate holds);
    template <LockOwner Lock, class Rep, class Period, std::predicate Predicate>
    PredicateResult wait_for(Lock& lock, const std::stop_token& stop, std::chrono::duration<Rep, Period> time,
                             Predicate holds);
    template <LockOwner Lock, class Clock, class Duration>
    TimeoutStatus wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& time);
    template <LockOwner Lock, class Clock, class Duration, std::predicate Predicate>
    PredicateResult wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& time, Predicate holds);
    template <LockOwner Lock, class Clock, class Duration, std::predicate Predicate>
    PredicateResult wait_until(Lock& lock, const std::stop_token& stop,
                               const std::chrono::time_point<Clock, Duration>& time, Predicate holds);

    // Near misses. Compilers quote the line that declares a deleted function, and with it the advice.
    // clang-format off
    template <class Lock>
        requires(!LockOwner<std::remove_cvref_t<Lock>>)
    void wait(Lock&&, const auto&...) = delete;  // futon: its lock is an AsyncLock: give a Guard, a unique_lock, access.guard()
    template <class Lock>
        requires(!LockOwner<std::remove_cvref_t<Lock>>)
    void wait_for(Lock&&, const auto&...) = delete;  // futon: its lock is an AsyncLock: give a Guard, a unique_lock, access.guard()
    template <class Lock>
        requires(!LockOwner<std::remove_cvref_t<Lock>>)
    void wait_until(Lock&&, const auto&...) = delete;  // futon: its lock is an AsyncLock: give a Guard, a unique_lock, access.guard()
    template <LockOwner Lock, std::convertible_to<Limits> Time, std::predicate Predicate>
    void wait(Lock&, const Time&, Predicate) = delete;  // futon: write wait(lock, predicate, 5ms), or wait_for(lock, 5ms, predicate)
    template <LockOwner Lock>
    void wait_for(Lock&, const auto&...) = delete;  // futon: write wait_for(lock, 5ms), or wait_for(lock, 5ms, predicate); wait(lock) has no limit
    template <LockOwner Lock>
    void wait_until(Lock&, const auto&...) = delete;  // futon: write wait_until(lock, time_point), or wait(lock, deadline)
    // clang-format on

    /// `wait` for coroutines: `co_await` gives a WaitResult, on this agent. Allocates nothing.
    ///
    /// `guard` owns the lock again afterwards. If the agent ended first, it owns nothing, and a coroutine of another
    /// library is resumed with `cancelled`.
    ///
    /// Throws  as `wait`; when awaited: NoExecutor if the thread has no executor, or if there is a deadline and the
    ///         executor keeps no timers. The lock is not released then
    AwaitWait wait_async(AsyncLock::Guard& guard, Limits limits = {});

    /// `wait` with a predicate for coroutines: `co_await` gives a PredicateResult. Allocates nothing.
    ///
    /// If the agent has ended, the lock is not owned, the predicate is not asked, and the result is `cancelled`.
    template <std::predicate Predicate>
    AwaitUntil<Predicate> wait_async(AsyncLock::Guard& guard, Predicate holds, Limits limits = {});

    // clang-format off
    template <class Lock>
        requires(!std::same_as<std::remove_cvref_t<Lock>, AsyncLock::Guard>)
    void wait_async(Lock&&, const auto&...) = delete;  // futon: a coroutine gives a Guard, of co_await lock.scoped_lock_async()
    template <std::convertible_to<Limits> Time, std::predicate Predicate>
    void wait_async(AsyncLock::Guard&, const Time&, Predicate) = delete;  // futon: write wait_async(guard, predicate, 5ms)
    // clang-format on

    /// `wait` as an operation, for `select`, `futon::promise_of` and the drivers of `core`. Yields a Wakeup. It
    /// releases the lock once it is queued. It also releases the lock if a select makes another choice, and if the
    /// operation is never used.
    ///
    /// Throws  std::system_error as `wait`; the lock is released then
    [[nodiscard]] Waiting waiting(AsyncLock::Guard guard);

    /// Notifies the waiter that has waited longest. If the lock is held, by the caller or another owner, the waiter is
    /// moved to the lock's queue; else it is woken to take the lock.
    ///
    /// Returns  how many waiters were woken or moved: 1, or 0 if none was queued. A select that is being decided counts
    /// Loops    if that waiter is a task, it keeps the notification even while its loop is busy or does not run. A
    ///          thread behind it gets the next notification, or this one if the task ends. Where threads and loops wait
    ///          for the same change, prefer `notify_all`: it tells all of them, and the lock does not wait for a loop
    ///          that does not run
    /// Threads  any
    /// Cost     a load if no waiter is queued; else short locks of the condition's queue and the lock's
    std::size_t notify_one() noexcept { return has_waiters_now() ? notify(1, Notification::one) : 0; }

    /// Notifies all waiters that are queued now. If the lock is held, they are moved to its queue, and its unlock wakes
    /// the first. Else the lock is taken and released on their behalf, and one is woken.
    ///
    /// Returns  how many waiters were woken or moved
    /// Threads  any
    /// Cost     as `notify_one`, plus work proportional to the waiters. No thread is woken for a lock that it cannot
    ///          get
    std::size_t notify_all() noexcept { return has_waiters_now() ? notify(core::everyone, Notification::all) : 0; }

private:
    // The word, by its bits. All change only under the queue's lock.
    //
    //     bit          means                                  set by                      cleared by
    //     has_waiters  a waiter may be queued: never clear    a check that must wait      a wake, a move or a leaving waiter
    //                  while one is                                                       that finds the queue empty
    //     tag          the queued waiters' lock: bits of      as has_waiters              as has_waiters
    //                  its address
    static constexpr std::uint32_t has_waiters = 1;

    /// How a waiter was notified: what a wake gives it as its token.
    enum class Notification : std::uint8_t { none = 0, one = 2, all = 3 };

    class Peek;
    class Waking;
    struct Move;

    static std::uint32_t tag_of(const AsyncLock& lock) noexcept;

    bool has_waiters_now() const noexcept {
        return (word_.load(std::memory_order_relaxed) & has_waiters) != 0;  // the lock orders it
    }
    std::size_t notify(std::size_t count, Notification kind) noexcept;
    AsyncLock* lock_of_first() noexcept;
    void require_usable(const AsyncLock* lock);

    static AsyncLock* lock_of(std::unique_lock<AsyncLock>& lock) noexcept {
        return lock.owns_lock() ? lock.mutex() : nullptr;
    }
    static AsyncLock* lock_of(AsyncLock::Guard& guard) noexcept;
    static AsyncLock::Guard take(std::unique_lock<AsyncLock>& lock) noexcept FUTON_NO_THREAD_SAFETY_ANALYSIS {
        return AsyncLock::Guard(*lock.release(), std::adopt_lock);
    }
    static AsyncLock::Guard take(AsyncLock::Guard& guard) noexcept { return std::move(guard); }
    static void put_back(std::unique_lock<AsyncLock>& lock, AsyncLock::Guard guard) FUTON_NO_THREAD_SAFETY_ANALYSIS {
        AsyncLock& owned = *guard.release();
        detail::LockOrder::locked(&owned);
        lock = std::unique_lock(owned, std::adopt_lock);
    }
    static void put_back(AsyncLock::Guard& owner, AsyncLock::Guard guard) noexcept { owner = std::move(guard); }

    /// Puts back the lock that a refused wait has kept throughout.
    static void give_back(std::unique_lock<AsyncLock>& lock, AsyncLock::Guard kept) FUTON_NO_THREAD_SAFETY_ANALYSIS {
        if (kept.owns_lock()) lock = std::unique_lock(*kept.release(), std::adopt_lock);
    }
    static void give_back(AsyncLock::Guard& owner, AsyncLock::Guard kept) noexcept { owner = std::move(kept); }

    /// The operation, for a lock that `require_usable` has passed. If it is never queued, `guard` owns the lock as
    /// before.
    Waiting waiting_or_keeping(AsyncLock::Guard& guard) noexcept;
    WaitResult wait_with(AsyncLock::Guard& guard, const Limits& limits);
    static Limits no_sooner_than_shortest(const Limits& limits) noexcept;

    detail::Atomic<std::uint32_t> word_{0};
};

static_assert(sizeof(Condition) == 4 && std::is_trivially_destructible_v<Condition>);

/// "Wait at the condition" as an operation: first in the condition's queue, then for the lock.
///
///     phase     queued at        ends by
///     at_first  the condition    a wake, a move to the lock's queue, the deadline, a stop
///     for_lock  the lock         as AsyncLock::Locking; no deadline and no stop applies
///
/// A requeue moves the waiter while its phase is still `at_first`, and `is_moved_` says so, under the queue's lock.
class FUTON_API FUTON_WARN_UNUSED Condition::Waiting {
public:
    using Result = Wakeup;
    static constexpr const char* name = "futon::Condition::wait";

    Waiting(Condition& condition, AsyncLock::Guard guard);

    /// The interface of an operation. See `core::Operation`.
    const void* key() const noexcept { return phase_ == Phase::for_lock ? locking_.key() : condition_.get(); }
    bool try_now() noexcept;
    bool try_spinning() noexcept;
    core::WaitCheck check(core::Caller caller) noexcept;
    core::Place place(core::Enqueueing enqueueing) const noexcept {
        return enqueueing == core::Enqueueing::again && is_for_lock_ ? core::Place::by_request : core::Place::tail;
    }
    void queued() noexcept FUTON_NO_THREAD_SAFETY_ANALYSIS;
    void moved(std::uint64_t expected, bool is_last) noexcept;
    bool woken(core::WakeToken token) noexcept;
    bool outlasts(core::Ending ending) noexcept;
    bool has_outlasted() const noexcept { return phase_ == Phase::for_lock; }
    void left() noexcept;
    void give_back(core::WakeToken token) noexcept;
    Wakeup result(core::Ending ending);

    /// In the condition's queue: the address of the lock, for the wakers. In the lock's queue: the request of Locking.
    core::Demand request() const noexcept;

private:
    friend class Condition;
    enum class Phase : std::uint8_t { at_first, for_lock };

    /// Keeps the lock until the waiter is queued. If it is never queued, the lock goes back to `home`, if there is one.
    struct Kept {
        explicit Kept(AsyncLock::Guard owner) noexcept : guard(std::move(owner)) {}
        explicit Kept(AsyncLock::Guard* its_home) noexcept : guard(std::move(*its_home)), home(its_home) {}
        Kept(Kept&&) noexcept = default;
        Kept& operator=(Kept&&) = delete;
        ~Kept() {
            if (home != nullptr && guard.owns_lock()) *home = std::move(guard);
        }

        AsyncLock::Guard guard;
        AsyncLock::Guard* home = nullptr;
    };

    Waiting(Condition& condition, AsyncLock& lock, Kept kept) noexcept
        : condition_(condition), lock_(&lock), kept_(std::move(kept)), locking_(lock) {}

    static bool must_wait(void* word, std::uint64_t self) noexcept;
    static bool must_lock(void* word, std::uint64_t self) noexcept;
    void begin_lock() noexcept;
    void pass_on() noexcept;

    core::Target<Condition> condition_;
    AsyncLock* lock_;
    Kept kept_;
    AsyncLock::Locking locking_;
    core::WaitCheck lock_check_{};
    Phase phase_ = Phase::at_first;
    Notification notification_ = Notification::none;
    WaitResult ended_ = WaitResult::ok;  // how the wait for a notification ended
    bool is_moved_ = false;              // to the lock's queue
    bool is_for_lock_ = false;           // it has been queued for the lock
    bool is_done_ = false;               // it owns the lock again
    bool is_refused_ = false;            // other waiters use another lock
};

}  // namespace futon

#include <futon/detail/sync/condition_std_names.hpp>  // as std::condition_variable_any
#include <futon/detail/sync/condition_tasks.hpp>      // how coroutines wait

#include <futon/detail/end.hpp>
