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
#include <futon/core/operation.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/time_points.hpp>
#include <futon/detail/view.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/sync/async_lock.hpp>
#include <futon/sync/condition_result.hpp>
#include <futon/time_limit.hpp>
#include <futon/wait_result.hpp>

namespace futon {

class SharedArrayBuffer;

/// What owns a lock that a wait at a condition releases, and owns again afterwards.
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
/// Four bytes, zero without waiters: it can be a member, a global, or lie in a SharedArrayBuffer.
///
/// | to wait                      | threads and tasks that may | yields                                        |
/// |------------------------------|----------------------------|-----------------------------------------------|
/// | wait                         | agents that may block      | WaitResult; with a predicate whether it holds |
/// | wait_async                   | coroutines                 | the same                                      |
/// | waiting                      | drivers, `select`          | a guard that owns the lock, and a WaitResult  |
///
/// Wakes     a wait ends with `ok` only by a notification that was made after it had begun; never spuriously. With a wait in
///           the queue, a notification is never lost: one that `notify_one` gave to a waiter that is gone by then (a
///           destroyed coroutine, a dropped promise, an ended loop, a select that took another choice) is made once more.
/// Fairness  waiters are notified in the order in which they began to wait. They are not woken for a lock that they cannot
///           get, but moved to its queue, in their order.
/// Limits    a deadline or a stop ends the wait for a notification. It does not end the wait for the lock that follows: the
///           lock is owned in the end in any case, as with std::condition_variable. A waiter that was notified when its
///           deadline comes is a notified one, also if it waits for the lock yet.
/// Ordering  that of the lock.
/// Cancel    the limits; destroying the coroutine, or the end of its agent. Only then is the lock not owned afterwards.
/// Lifetime  a notification does not touch the condition after the waiters that it serves may have returned.
/// Requires  at any time its waiters use one lock. It is not destroyed or moved while a waiter is queued, and the lock not
///           while a notification is under way.
class FUTON_API Condition {
public:
    class Waiting;
    class AwaitWait;
    class AwaitUntilBase;
    template <std::predicate Predicate>
    class AwaitUntil;

    /// How a wait ended: `guard` owns the lock again, also if `result` is `timed_out` or `cancelled`. It owns none if the
    /// waiting agent ended first; then `result` is `cancelled`.
    struct Wakeup {
        AsyncLock::Guard guard;  ///< of the lock
        WaitResult result;       ///< `ok`, `timed_out` or `cancelled`
    };

    static constexpr std::chrono::microseconds shortest_wait{50};  ///< how long a wait releases the lock at least

    constexpr Condition() noexcept = default;
    Condition(const Condition&) = delete;
    Condition& operator=(const Condition&) = delete;

    /// The condition that lies in a buffer. All views of the same bytes are the same condition; only conditions may wait there.
    ///
    /// Throws  std::out_of_range if `byte_offset` is no multiple of four, or the condition would end outside the buffer
    template <std::same_as<SharedArrayBuffer> Buffer>  // that a condition alone need not know
    static Condition& at(Buffer& buffer, std::size_t byte_offset = 0) {
        return detail::object_at<Condition>(buffer, byte_offset);
    }

    /// Releases the lock, blocks until the condition is notified, the deadline has come, or a stop is requested, and locks
    /// again. A deadline that has come already ends the wait after `shortest_wait`, so a loop that polls releases the lock each
    /// time. Where a stop is requested already, the lock is not released.
    ///
    /// Returns  `ok`, `timed_out` or `cancelled`; `lock` owns the lock again
    /// Threads  agents that may block
    /// Throws   BlockingForbidden on an agent that may not, before it releases the lock; std::system_error
    ///          (operation_not_permitted) if `lock` owns no lock, or one that is not held; (invalid_argument) if waiters with
    ///          another lock are queued. `lock` is as it was then
    template <LockOwner Lock>
    WaitResult wait(Lock& lock) {
        return wait(lock, Deadline::never(), {});
    }
    template <LockOwner Lock>
    [[nodiscard]] WaitResult wait(Lock& lock, TimeLimit limit, const std::stop_token& stop = {}) {
        if (!detail::this_thread_can_block()) [[unlikely]]
            detail::throw_blocking_forbidden("futon::Condition::wait");
        require_usable(lock_of(lock));
        AsyncLock::Guard guard = take(lock);
        try {
            const WaitResult result = wait_with(guard, limit, stop);
            put_back(lock, std::move(guard));
            return result;
        } catch (...) {
            give_back(lock, std::move(guard));
            throw;
        }
    }
    template <LockOwner Lock>
    [[nodiscard]] WaitResult wait(Lock& lock, const std::stop_token& stop);

    /// Waits until `holds()`, which is called with the lock held: at once, and after each notification.
    ///
    /// Returns  whether it holds, and if not, what ended the wait. One that holds beats a deadline that is due and a stop
    /// Threads  as above. Throws  as above, and what `holds` throws, with the lock held
    template <LockOwner Lock, std::predicate Predicate>
    PredicateResult wait(Lock& lock, Predicate holds, TimeLimit limit = Deadline::never(),
                         const std::stop_token& stop = {}) {
        if (!detail::this_thread_can_block()) [[unlikely]]
            detail::throw_blocking_forbidden("futon::Condition::wait");
        require_usable(lock_of(lock));
        const Deadline deadline = limit.deadline();  // of all the waits together
        while (!holds()) {
            const WaitResult result = wait(lock, deadline, stop);
            const bool is_late = result == WaitResult::ok && deadline.is_due();
            if (result != WaitResult::ok || is_late)
                return {static_cast<bool>(holds()), is_late ? WaitResult::timed_out : result};
        }
        return {true, WaitResult::ok};
    }
    template <LockOwner Lock, std::predicate Predicate>
    PredicateResult wait(Lock& lock, Predicate holds, const std::stop_token& stop);

    /// The same by the names, the order of arguments and the answers of std::condition_variable_any. A clock that may be set is
    /// read when the wait begins; if it is behind in the end, the wait without a predicate ends with `no_timeout`.
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

    // What is almost right. Compilers quote the row with the name, and so what it says.
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
    template <LockOwner Lock, std::convertible_to<TimeLimit> Time, std::predicate Predicate>
    void wait(Lock&, const Time&, Predicate) = delete;  // futon: write wait(lock, predicate, 5ms), or wait_for(lock, 5ms, predicate)
    template <LockOwner Lock>
    void wait_for(Lock&, const auto&...) = delete;  // futon: write wait_for(lock, 5ms), or wait_for(lock, 5ms, predicate); wait(lock) has no limit
    template <LockOwner Lock>
    void wait_until(Lock&, const auto&...) = delete;  // futon: write wait_until(lock, time_point), or wait(lock, deadline)
    // clang-format on

    /// An awaitable that does the same, now or later, on this agent: it gives a WaitResult. It allocates nothing.
    ///
    /// `guard` owns the lock again then. It owns none if its agent ended first: where the coroutine is not futon's it is
    /// resumed with `cancelled`.
    ///
    /// Throws  as `wait`; when awaited, NoExecutor on a thread without an executor, or with a deadline on one that keeps no
    ///         timers. The lock is not released then
    AwaitWait wait_async(AsyncLock::Guard& guard, TimeLimit limit = Deadline::never(), std::stop_token stop = {});
    AwaitWait wait_async(AsyncLock::Guard& guard, std::stop_token stop);

    /// An awaitable that waits until `holds()`, as `wait` does: it gives a PredicateResult. It allocates nothing.
    ///
    /// Without the lock, when the agent has ended, it does not hold, and the result is `cancelled`.
    template <std::predicate Predicate>
    AwaitUntil<Predicate> wait_async(AsyncLock::Guard& guard, Predicate holds, TimeLimit limit = Deadline::never(),
                                     std::stop_token stop = {});
    template <std::predicate Predicate>
    AwaitUntil<Predicate> wait_async(AsyncLock::Guard& guard, Predicate holds, std::stop_token stop);

    // clang-format off
    template <class Lock>
        requires(!std::same_as<std::remove_cvref_t<Lock>, AsyncLock::Guard>)
    void wait_async(Lock&&, const auto&...) = delete;  // futon: a coroutine gives a Guard, of co_await lock.scoped_lock_async()
    template <std::convertible_to<TimeLimit> Time, std::predicate Predicate>
    void wait_async(AsyncLock::Guard&, const Time&, Predicate) = delete;  // futon: write wait_async(guard, predicate, 5ms)
    // clang-format on

    /// The operation, for `select`, `futon::promise_of` and the other drivers: it yields a Wakeup. It releases the lock once
    /// it is queued. The lock is released as well if a select takes another choice, and if the operation is never used.
    ///
    /// Throws  std::system_error as `wait`; then the lock is released
    [[nodiscard]] Waiting waiting(AsyncLock::Guard guard);

    /// Notifies the waiter that has waited longest. Where the lock is held, by the caller or by another, the waiter is moved to
    /// its queue; else it is woken for the lock.
    ///
    /// Returns  how many were woken or moved: 1, or 0 if no waiter was queued. A select that is being decided counts
    /// Loops    the notification stays with that waiter, also if it is a task whose loop is busy or does not run. A thread behind
    ///          it is told by the next notification, or by this one if that waiter is gone. Where threads and loops wait for the
    ///          same, `notify_all` tells all of them, and the lock waits for no loop that does not run
    /// Threads  any
    /// Cost     where no waiter is queued, a load. Else short locks of the condition's queue and the lock's
    std::size_t notify_one() noexcept { return has_waiters_now() ? notify(1, Notification::one) : 0; }

    /// Notifies all waiters that are queued now. Where the lock is held they are moved to its queue, and the first is woken by
    /// its unlock; else the lock is taken and released for them, and one is woken.
    ///
    /// Returns  how many were woken or moved
    /// Threads  any
    /// Cost     as `notify_one`, and work in proportion to the waiters. No thread is woken for a lock that it cannot get
    std::size_t notify_all() noexcept { return has_waiters_now() ? notify(core::everyone, Notification::all) : 0; }

private:
    // The word, by its bits. All change under the queue's lock only.
    //
    //     bit          means                                  set by                      cleared by
    //     has_waiters  a waiter may be queued: never clear    a check that must wait      whatever finds the queue empty: a
    //                  while one is                                                       wake, the move of the last waiter,
    //                                                                                     a waiter that leaves
    //     tag          of the lock that the queued waiters    as has_waiters              as has_waiters
    //                  use: bits of its address
    static constexpr std::uint32_t has_waiters = 1;

    /// How a waiter was notified: what a wake gives it as its token.
    enum class Notification : std::uint8_t { none = 0, one = 2, all = 3 };

    class Peek;
    class Waking;
    struct Move;

    static std::uint32_t tag_of(const AsyncLock& lock) noexcept;

    bool has_waiters_now() const noexcept {
        return (word_.load(std::memory_order_relaxed) & has_waiters) != 0;  // ordered by the lock
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

    /// What a wait that was refused has kept all the time.
    static void give_back(std::unique_lock<AsyncLock>& lock, AsyncLock::Guard kept) FUTON_NO_THREAD_SAFETY_ANALYSIS {
        if (kept.owns_lock()) lock = std::unique_lock(*kept.release(), std::adopt_lock);
    }
    static void give_back(AsyncLock::Guard& owner, AsyncLock::Guard kept) noexcept { owner = std::move(kept); }

    /// The operation, of a lock that is usable: if it does not come to wait, `guard` owns the lock as before.
    Waiting waiting_or_keeping(AsyncLock::Guard& guard) noexcept;
    WaitResult wait_with(AsyncLock::Guard& guard, TimeLimit limit, const std::stop_token& stop);
    static Deadline no_sooner_than_shortest(Deadline deadline) noexcept;

    detail::Atomic<std::uint32_t> word_{0};
};

static_assert(sizeof(Condition) == 4 && std::is_trivially_destructible_v<Condition>);

/// "Wait at the condition", as an operation: first in the condition's queue, then for the lock.
///
///     phase     queued at        ends by
///     at_first  the condition    a wake, a move to the lock's queue, the deadline, a stop
///     for_lock  the lock         as AsyncLock::Locking; no deadline and no stop applies
///
/// A requeue moves the waiter while its owner is in the first phase; `is_moved_` says so, from then on, under the queue's lock.
class FUTON_API FUTON_WARN_UNUSED Condition::Waiting {
public:
    using Result = Wakeup;
    static constexpr const char* name = "futon::Condition::wait";

    Waiting(Condition& condition, AsyncLock::Guard guard);

    /// What each operation has. See `core::Operation`.
    const void* key() const noexcept { return phase_ == Phase::for_lock ? locking_.key() : condition_.get(); }
    bool try_now() noexcept;
    bool try_spinning() noexcept;
    core::WaitCheck check(core::Caller caller) noexcept;
    core::Place retry_place() const noexcept { return is_for_lock_ ? core::Place::by_request : core::Place::tail; }
    void queued() noexcept FUTON_NO_THREAD_SAFETY_ANALYSIS;
    void moved(std::uint64_t expected, bool is_last) noexcept;
    bool woken(core::WakeToken token) noexcept;
    bool outlasts(core::Ending ending) noexcept;
    bool has_outlasted() const noexcept { return phase_ == Phase::for_lock; }
    void left() noexcept;
    void give_back(core::WakeToken token) noexcept;
    Wakeup result(core::Ending ending);

    /// In the condition's queue the address of the lock, for its wakers; in the lock's what Locking says.
    std::uint64_t request() const noexcept;

private:
    friend class Condition;
    enum class Phase : std::uint8_t { at_first, for_lock };

    /// The lock until the waiter is queued. It goes back to its `home`, if that is known, where the waiter never is.
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
    WaitResult ended_ = WaitResult::ok;  // how the wait for a notification did
    bool is_moved_ = false;              // to the lock's queue
    bool is_for_lock_ = false;           // it has been queued for the lock
    bool is_done_ = false;               // it owns the lock again
    bool is_refused_ = false;            // other waiters use another lock
};

template <LockOwner Lock>
WaitResult Condition::wait(Lock& lock, const std::stop_token& stop) {
    return wait(lock, Deadline::never(), stop);
}

template <LockOwner Lock, std::predicate Predicate>
PredicateResult Condition::wait(Lock& lock, Predicate holds, const std::stop_token& stop) {
    return wait(lock, std::move(holds), Deadline::never(), stop);
}

}  // namespace futon

#include <futon/sync/condition_std_names.hpp>  // as std::condition_variable_any
#include <futon/sync/condition_tasks.hpp>      // how coroutines wait

#include <futon/detail/end.hpp>
