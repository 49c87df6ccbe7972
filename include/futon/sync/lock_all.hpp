// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include <futon/core/driver/block.hpp>
#include <futon/core/driver/operation_task.hpp>
#include <futon/core/loop/agent_waiter.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/detail/driver/unawaited.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/loop/promise_state.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/limits.hpp>
#include <futon/sync/async_lock.hpp>
#include <futon/wait_result.hpp>

namespace futon {

namespace detail {
/// Throws std::system_error (operation_not_permitted).
[[noreturn]] FUTON_API void throw_owns_no_locks();
}  // namespace detail

/// Owns several locks and unlocks them at the end of its scope; or owns none, and says why.
template <std::size_t count>
class [[nodiscard]] MultiGuard {
public:
    /// A guard of each lock.
    using Guards = std::array<AsyncLock::Guard, count>;

    /// Takes over what the guards own: all of their locks, or none.
    MultiGuard(Guards guards, WaitResult result) noexcept : guards_(std::move(guards)), result_(result) {}

    /// Whether it owns all of its locks; else it owns none.
    bool owns_locks() const noexcept { return guards_[0].owns_lock(); }
    explicit operator bool() const noexcept { return owns_locks(); }

    /// `ok` if it owns the locks, else `timed_out` or `cancelled`.
    WaitResult result() const noexcept { return result_; }

    /// Unlocks all before the end of the scope. Throws std::system_error (operation_not_permitted) if it owns none.
    void unlock() {
        if (!owns_locks()) [[unlikely]]
            detail::throw_owns_no_locks();
        for (AsyncLock::Guard& guard : guards_) guard.unlock();
    }

    /// Moves out one guard per lock, in the order of the arguments, to unlock the locks one by one. It owns none
    /// afterwards.
    Guards split() && noexcept { return std::move(guards_); }

private:
    Guards guards_;
    WaitResult result_;
};

namespace detail {

/// Throws std::system_error (resource_deadlock_would_occur).
[[noreturn]] FUTON_API void throw_locked_twice();

template <std::size_t... indices>
auto no_guards(WaitResult why, std::index_sequence<indices...>) noexcept {
    return std::array<AsyncLock::Guard, sizeof...(indices)>{(static_cast<void>(indices), AsyncLock::Guard(why))...};
}

/// Acquires locks one after the other, in the order of their addresses, and releases them together.
template <std::size_t count>
class LockSequence {
public:
    using Locks = std::array<AsyncLock*, count>;

    explicit LockSequence(const Locks& locks) : asked_(locks), locks_(locks) {
        std::sort(locks_.begin(), locks_.end(), std::less<>());
        if (std::adjacent_find(locks_.begin(), locks_.end()) != locks_.end()) [[unlikely]]
            throw_locked_twice();
    }
    LockSequence(const LockSequence&) = delete;
    LockSequence& operator=(const LockSequence&) = delete;
    ~LockSequence() { release(); }

    bool is_complete() const noexcept { return held_ == count; }
    AsyncLock& next() const noexcept { return *locks_[held_]; }

    /// Counts the next lock as acquired.
    void add() noexcept { ++held_; }
    void add(AsyncLock::Guard guard) noexcept {
        guard.release();
        add();
    }

    /// Locks the remaining ones as far as they are free. Returns whether all are locked.
    bool try_rest() noexcept FUTON_NO_THREAD_SAFETY_ANALYSIS {
        while (!is_complete() && next().try_lock()) add();
        return is_complete();
    }

    void release() noexcept FUTON_NO_THREAD_SAFETY_ANALYSIS {
        while (held_ != 0) locks_[--held_]->try_unlock();
    }

    /// Moves the locks to a guard if the result is `ok`; else releases the acquired ones.
    MultiGuard<count> take(WaitResult result) noexcept FUTON_NO_THREAD_SAFETY_ANALYSIS {
        auto guards = no_guards(result, std::make_index_sequence<count>());
        if (result == WaitResult::ok) {
            held_ = 0;
            for (std::size_t i = 0; i < count; ++i) guards[i] = AsyncLock::Guard(*asked_[i], std::adopt_lock);
        } else {
            release();
        }
        return {std::move(guards), result};
    }

private:
    const Locks asked_;  // in the order of the arguments
    Locks locks_;        // in the order of their addresses
    std::size_t held_ = 0;
};

}  // namespace detail

/// What `lock_all_async` returns: `co_await` gives a MultiGuard. A single attempt, which begins when it is awaited.
template <std::size_t count>
class FUTON_WARN_UNUSED [[nodiscard("nothing is locked before it is awaited: write co_await")]] MultiAcquisition {
public:
    MultiAcquisition(const std::array<AsyncLock*, count>& locks, Limits limits)
        : locks_(locks), limits_(std::move(limits).from_now()) {}
    MultiAcquisition(const MultiAcquisition&) = delete;
    MultiAcquisition& operator=(const MultiAcquisition&) = delete;
#ifdef FUTON_CHECKED
    ~MultiAcquisition() {
        if (!is_used_) detail::report_unawaited(name);
    }
#endif

    bool await_ready() {
        core::require_timers(Agent::current(), limits_.deadline(), name);
        if (std::exchange(is_used_, true)) core::throw_used_twice(name);
        return locks_.try_rest();
    }

    template <class P>
    bool await_suspend(std::coroutine_handle<P> coroutine) {
        waiting_.emplace(*this, detail::Continuation(coroutine));
        return waiting_->begin();
    }

    MultiGuard<count> await_resume() {
        if (progress_ == core::Progress::no_memory) {
            locks_.release();
            core::throw_table_full(name);
        }
        return locks_.take(core::to_wait_result(core::to_ending(progress_)));
    }

private:
    static constexpr const char* name = "futon::lock_all_async";

    /// The waiter for the next lock, made when a lock was not free.
    class Waiting final : public core::OperationTask<Waiting, core::AgentWaiter> {
    public:
        Waiting(MultiAcquisition& attempt, detail::Continuation continuation)
            : core::OperationTask<Waiting, core::AgentWaiter>(Agent::current()),
              attempt_(attempt),
              continuation_(continuation) {}
        ~Waiting() override { this->take_back(); }

        /// Returns whether the coroutine must wait.
        bool begin() noexcept { return goes_on(begin_next()); }

        AsyncLock::Locking& operation() noexcept { return *locking_; }
        core::WaiterDescription describe() const noexcept override {
            return {core::WaiterDescription::Kind::task, name, &this->agent()};
        }

    private:
        core::Progress begin_next() noexcept {
            locking_.emplace(attempt_.locks_.next());
            return this->start(core::Until(attempt_.limits_));
        }

        /// Called with the progress of the next lock's cycle. If the lock was acquired, begins the cycle of the one
        /// after it.
        bool goes_on(core::Progress progress) noexcept {
            while (progress == core::Progress::at_once || progress == core::Progress::woken) {
                attempt_.locks_.add(locking_->result(core::to_ending(progress)));
                if (attempt_.locks_.is_complete()) break;
                progress = begin_next();
            }
            attempt_.progress_ = progress;
            return progress == core::Progress::queued;
        }

        void on_complete(WaitResult result) noexcept override {
            if (!goes_on(this->proceed(result, core::Until(attempt_.limits_)))) continuation_.resume();
        }

        void on_teardown(bool was_woken) noexcept override {
            attempt_.progress_ = core::Progress::cancelled;
            this->give_up(was_woken);
            attempt_.locks_.release();
            continuation_.abandon();
        }

        MultiAcquisition& attempt_;
        detail::Continuation continuation_;
        std::optional<AsyncLock::Locking> locking_;  // changes only while this waiter is not queued
    };

    detail::LockSequence<count> locks_;
    const Limits limits_;
    core::Progress progress_ = core::Progress::at_once;
    bool is_used_ = false;
    std::optional<Waiting> waiting_;
};

/// Locks several locks: all of them, or none. Use it where one change needs more than one lock.
///
///     auto both = futon::lock_all(from.lock, to.lock);
///     auto both = futon::lock_all({5ms, stop}, from.lock, to.lock);   // limits come first, because the list is open
///
/// The locks are acquired in the order of their addresses, and those acquired are kept while the call waits for the
/// next. So calls of this and of `lock_all_async` do not deadlock, whatever the order of their arguments. Nor do they
/// deadlock with `std::scoped_lock` and `std::lock`, which keep no lock while they wait.
///
/// Returns   a MultiGuard that owns all of the locks, or none if the deadline or the stop came first
/// Threads   agents that may block
/// Throws    BlockingForbidden if the agent may not block; std::system_error (resource_deadlock_would_occur) if one
///           lock is named twice. No lock is touched then
/// Fairness  as each lock. Locks that are already acquired keep their other waiters waiting
/// Requires  the caller holds no lock that an owner of one of these may wait for
/// Cost      allocates nothing; a compare-exchange or two for each lock, if all are free
template <std::same_as<AsyncLock>... Locks>
    requires(sizeof...(Locks) > 0)
auto lock_all(const Limits& limits, Locks&... locks) -> MultiGuard<sizeof...(Locks)> {
    if (!detail::this_thread_can_block()) [[unlikely]]
        detail::throw_blocking_forbidden("futon::lock_all");
    detail::LockSequence<sizeof...(Locks)> sequence({&locks...});
    const Limits shared = limits.from_now();  // by all the waits
    WaitResult result = WaitResult::ok;
    while (result == WaitResult::ok && !sequence.is_complete()) {
        result = sequence.next().lock(shared);
        if (result == WaitResult::ok) sequence.add();
    }
    return sequence.take(result);
}
template <std::same_as<AsyncLock>... Locks>
    requires(sizeof...(Locks) > 0)
auto lock_all(Locks&... locks) -> MultiGuard<sizeof...(Locks)> {
    return lock_all(Limits(), locks...);
}

/// `lock_all` without waiting: returns a guard that owns all of the locks, or none. Any agent.
///
/// Throws  std::system_error (resource_deadlock_would_occur) if one lock is named twice
template <std::same_as<AsyncLock>... Locks>
    requires(sizeof...(Locks) > 0)
auto try_lock_all(Locks&... locks) -> MultiGuard<sizeof...(Locks)> {
    detail::LockSequence<sizeof...(Locks)> sequence({&locks...});
    return sequence.take(sequence.try_rest() ? WaitResult::ok : WaitResult::timed_out);
}

/// `lock_all` for coroutines: `co_await` gives a MultiGuard, on the agent that awaits.
///
/// Cancel  the deadline and the stop token; destroying the coroutine, or the end of its agent. Acquired locks are
///         released
/// Throws  std::system_error (resource_deadlock_would_occur) if one lock is named twice. When awaited: NoExecutor if
///         the thread has no executor, or if there is a deadline and the executor keeps no timers
/// Cost    allocates nothing
template <std::same_as<AsyncLock>... Locks>
    requires(sizeof...(Locks) > 0)
auto lock_all_async(Limits limits, Locks&... locks) -> MultiAcquisition<sizeof...(Locks)> {
    return {{&locks...}, std::move(limits)};
}
template <std::same_as<AsyncLock>... Locks>
    requires(sizeof...(Locks) > 0)
auto lock_all_async(Locks&... locks) -> MultiAcquisition<sizeof...(Locks)> {
    return {{&locks...}, {}};
}

// Near misses. Compilers quote the line that declares a deleted function, and with it the advice.
// clang-format off
template <class First, class... Args>
    requires(!(std::same_as<First, AsyncLock&> && ... && std::same_as<Args, AsyncLock&>) && !std::convertible_to<First, Limits>)
void lock_all(First&&, Args&&...) = delete;  // futon: it takes AsyncLocks, and limits before them: write lock_all({5ms, stop}, a, b). std::scoped_lock takes locks of all kinds
template <class First, class... Args>
    requires(!(std::same_as<First, AsyncLock&> && ... && std::same_as<Args, AsyncLock&>) && !std::convertible_to<First, Limits>)
void lock_all_async(First&&, Args&&...) = delete;  // futon: it takes AsyncLocks, and limits before them: write lock_all_async({5ms, stop}, a, b)
// clang-format on

}  // namespace futon

#include <futon/detail/end.hpp>
