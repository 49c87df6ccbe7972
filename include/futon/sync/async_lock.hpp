// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <futon/agent.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/agent_wait.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/promise.hpp>
#include <futon/shared_array_buffer.hpp>
#include <futon/wait_result.hpp>
#include <futon/word.hpp>

namespace futon {

/// Who gets a lock that has a line.
enum class Fairness : std::uint8_t {
    bounded,  ///< whoever is quickest, until the first in line has waited for `AsyncLock::handoff_threshold`
    strict    ///< the first in line, at each unlock: nobody overtakes, and each turn costs a wake
};

/// A mutex for threads that may block and event loops that must not: one word, one line for both.
///
///     futon::AsyncLock lock;
///     std::scoped_lock hold(lock);                          // a thread that may block
///     lock.execute_locked([&] { ++shared; });               // an event loop: now if it is free, else later
///     auto guard = co_await lock.scoped_lock_async(5ms);           // a coroutine
///
/// Four bytes, zero when free (four if it is strict): it can be a member, a global, or lie in a SharedArrayBuffer.
///
/// Fairness  whoever finds it free may take it, also past those in line, as long as the first in line has not waited for
///           longer than `handoff_threshold`. Then the unlock hands it the lock. Who is woken sooner and finds that another was
///           quicker goes to the end of the line, but that happens within `handoff_threshold` only: from then on it waits once for
///           each who is before it. A lock made with `Fairness::strict` is handed over at each unlock.
/// Ordering  what happened before an unlock happens before what follows the next lock.
/// Lifetime  unlock touches the lock last when it sets it free, so the next owner may destroy it.
/// Requires  it is not destroyed or moved while anybody waits for it. It is not recursive.
class AsyncLock {
public:
    class Guard;
    class Acquisition;

    /// How long somebody in line may find that others are quicker.
    static constexpr std::chrono::milliseconds handoff_threshold{1};

    constexpr AsyncLock() noexcept = default;
    constexpr explicit AsyncLock(Fairness fairness) noexcept : word_(fairness == Fairness::strict ? strict : free) {}
    AsyncLock(const AsyncLock&) = delete;
    AsyncLock& operator=(const AsyncLock&) = delete;

    /// The lock that lies in a buffer. All views of the same bytes are the same lock; nobody but locks may wait there.
    ///
    /// Throws  std::out_of_range if `byte_offset` is no multiple of four, or the lock would end outside the buffer
    static AsyncLock& at(SharedArrayBuffer& buffer, std::size_t byte_offset = 0);

    /// The lock that lies in a word of four bytes, wherever that is.
    template <WaitInteger T>
    static AsyncLock& at(Word<T> word) noexcept requires(sizeof(T) == sizeof(std::uint32_t)) {
        return *std::launder(reinterpret_cast<AsyncLock*>(word.address()));
    }

    /// Blocks until the lock is the caller's.
    ///
    /// Threads  agents that may block.
    /// Throws   BlockingForbidden on an agent that may not, before it looks at the lock
    /// Cost     a compare-exchange or two if it is free; else up to ten microseconds of looking for it before each sleep
    void lock() {
        if (!detail::this_thread_can_block()) [[unlikely]]
            detail::throw_blocking_forbidden("futon::AsyncLock::lock");
        std::uint32_t seen = free;
        if (!word_.compare_exchange_strong(seen, held, std::memory_order_acquire,  // [lock-release]
                                           std::memory_order_relaxed))             // retried with care there
            lock_contended(seen);
    }

    /// Takes the lock if it is free. Any agent.
    bool try_lock() noexcept {
        std::uint32_t seen = free;
        return word_.compare_exchange_strong(seen, held, std::memory_order_acquire,  // [lock-release]
                                             std::memory_order_relaxed) ||           // retried with care there
               try_lock_contended(seen);
    }

    /// Sets the lock free and, if there is a line, wakes its first, or hands it the lock (see Fairness). Any agent; it
    /// need not be the one that locked it.
    ///
    /// Throws  std::system_error (operation_not_permitted) if nobody holds it; the word is unchanged
    void unlock() {
        if (!try_unlock()) [[unlikely]]
            throw_not_held("futon::AsyncLock::unlock: nobody holds the lock");
    }

    /// The same, but returns false if nobody holds it.
    bool try_unlock() noexcept {
        std::uint32_t expected = held;
        return word_.compare_exchange_strong(expected, free, std::memory_order_release,  // [lock-release]
                                             std::memory_order_relaxed) ||               // retried with care there
               unlock_contended();
    }

    /// Runs `f()` while holding the lock: at once if it is free, else later, on this agent's executor. If `f` returns
    /// a promise (a coroutine's, say), the lock is held until that has settled.
    ///
    /// Returns   a promise of what `f` returns. An exception of `f` sets the lock free and goes to the promise.
    /// Cancel    dropping the promise does not keep `f` from running; the end of the event loop does.
    /// Throws    NoExecutor; std::bad_alloc. `f` has not run then.
    template <class F>
    auto execute_locked(F f) -> Promise<typename detail::Unwrapped<std::invoke_result_t<F&>>::Type>;

    /// An awaitable that gives a `Guard`, now or later, on this agent.
    ///
    /// The guard owns the lock if its `result()` is `ok`; else the deadline or the stop came first, or the event loop
    /// ended. A grant that came first counts: it is a guard that owns.
    ///
    /// Throws  NoExecutor, when awaited while the lock is held; also if there is a deadline and the executor keeps no
    ///         timers
    Acquisition scoped_lock_async(Deadline deadline = Deadline::never(), std::stop_token stop = {}) noexcept;

    /// For adapters, whose waiters are of a kind of their own: "another holds the lock" is the condition on which a
    /// waiter joins its line. If the lock is free it is taken instead, and the condition does not hold.
    ///
    /// A waiter that is notified owns the lock if it `is_granted`; else it tries again, or, if it cannot, sees to it that
    /// somebody else does: who takes the lock and unlocks it wakes the next.
    core::WaitCheck held_by_another() noexcept;

    /// For adapters: looks for the lock for as long as it pays to before a thread goes to sleep for it. Where that does
    /// not pay it may not look at all, so `try_lock` comes before it, and joining the line after it. Gives up at once if
    /// the lock is strict and has a line.
    ///
    /// Returns  whether the lock is the caller's
    /// Threads  agents that may block
    /// Cost     ten microseconds if it is in vain; nothing where there is but one processor
    bool try_lock_spinning() noexcept;

    /// For adapters: the moment from which a waiter that joins the line now is to want the grant (`wants_grant`).
    Deadline handoff_deadline() const noexcept;

private:
    // The word. `free` and `held` are all that an uncontended lock ever is; `has_waiters` is set, under either, when
    // somebody may be in line. It may be set with an empty line, but never clear with a waiting one. [has-waiters]
    // `strict` never changes; with it the first attempt of the inline functions fails, and those for contention do the work.
    static constexpr std::uint32_t free = 0;
    static constexpr std::uint32_t held = 1;
    static constexpr std::uint32_t has_waiters = 2;
    static constexpr std::uint32_t strict = 4;

    void lock_contended(std::uint32_t seen) noexcept;
    bool try_lock_contended(std::uint32_t seen) noexcept;
    bool unlock_contended() noexcept;
    [[noreturn]] static void throw_not_held(const char* what);

    /// The end of every contended unlock: hands the lock to `next`, or sets it free and lets `next` try.
    void release_to(core::Waiter& next) noexcept;

    template <class F>
    auto call_locked(F f) -> Promise<typename detail::Unwrapped<std::invoke_result_t<F&>>::Type>;

    detail::Atomic<std::uint32_t> word_{free};
};

/// Owns a lock, or says why it does not; unlocks at the end of its scope.
class [[nodiscard]] AsyncLock::Guard {
public:
    /// Takes over a lock that is held.
    explicit Guard(AsyncLock& lock) noexcept : lock_(&lock) {}
    explicit Guard(WaitResult failure) noexcept : result_(failure) {}

    Guard(Guard&& other) noexcept : lock_(std::exchange(other.lock_, nullptr)), result_(other.result_) {}
    Guard& operator=(Guard&& other) noexcept {
        std::swap(lock_, other.lock_);
        std::swap(result_, other.result_);
        return *this;
    }
    ~Guard() {
        if (lock_ != nullptr) lock_->try_unlock();
    }

    bool owns_lock() const noexcept { return lock_ != nullptr; }
    explicit operator bool() const noexcept { return owns_lock(); }

    /// `ok`, `timed_out` or `cancelled`.
    WaitResult result() const noexcept { return result_; }

    /// Unlocks before the end of the scope. Throws std::system_error (operation_not_permitted) if it owns nothing.
    void unlock();

private:
    AsyncLock* lock_ = nullptr;
    WaitResult result_ = WaitResult::ok;
};

/// What `scoped_lock_async` returns: one attempt, which begins when it is awaited and allocates nothing.
class [[nodiscard]] AsyncLock::Acquisition {
public:
    Acquisition(AsyncLock& lock, Deadline deadline, std::stop_token stop) noexcept
        : lock_(lock), deadline_(deadline), stop_(std::move(stop)) {}
    Acquisition(const Acquisition&) = delete;
    Acquisition& operator=(const Acquisition&) = delete;

    bool await_ready() noexcept {
        result_ = WaitResult::ok;
        return lock_.try_lock();
    }

    /// Throws  NoExecutor
    template <class P>
    bool await_suspend(std::coroutine_handle<P> coroutine) {
        turn_.emplace(*this, detail::Continuation(coroutine));
        return !turn_->try_or_enqueue();
    }

    Guard await_resume() noexcept { return result_ == WaitResult::ok ? Guard(lock_) : Guard(result_); }

private:
    /// The place in line, once the lock was found held.
    class Turn final : public detail::AgentWait {
    public:
        /// Throws  NoExecutor
        Turn(Acquisition& acquisition, detail::Continuation continuation);
        ~Turn();

        /// Returns whether the attempt is over: locked, or given up.
        bool try_or_enqueue() noexcept;

        bool wants_grant() const noexcept override { return patience_.is_due(); }

    private:
        void on_complete(WaitResult result) noexcept override;
        void on_teardown(bool was_woken) noexcept override;

        /// A wake that was meant for one of the line goes to the next, and so does the lock, if it came along.
        void pass_on() noexcept;

        Acquisition& acquisition_;
        detail::Continuation continuation_;
        detail::WaitLimits limits_;
        Deadline patience_;
    };

    AsyncLock& lock_;
    Deadline deadline_;
    std::stop_token stop_;
    WaitResult result_ = WaitResult::ok;
    std::optional<Turn> turn_;
};

inline AsyncLock::Acquisition AsyncLock::scoped_lock_async(Deadline deadline, std::stop_token stop) noexcept {
    return Acquisition(*this, deadline, std::move(stop));
}

template <class F>
auto AsyncLock::execute_locked(F f) -> Promise<typename detail::Unwrapped<std::invoke_result_t<F&>>::Type> {
    Agent::current().require_executor();
    return call_locked(std::move(f));
}

template <class F>
auto AsyncLock::call_locked(F f) -> Promise<typename detail::Unwrapped<std::invoke_result_t<F&>>::Type> {
    const Guard guard = co_await scoped_lock_async();
    if constexpr (detail::Unwrapped<std::invoke_result_t<F&>>::is_promise) {
        co_return co_await std::invoke(f);
    } else {
        co_return std::invoke(f);
    }
}

}  // namespace futon
