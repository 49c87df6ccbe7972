// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>

#include <futon/core/operation.hpp>
#include <futon/core/probe.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/thread_safety.hpp>
#include <futon/sync/async_lock.hpp>
#include <futon/wait_result.hpp>

// What locks an AsyncLock: the operation, and the guard that it yields.
namespace futon {

/// Owns a lock, or says why it does not; unlocks at the end of its scope.
class [[nodiscard]] FUTON_API AsyncLock::Guard {
public:
    /// Owns a lock that the caller has locked.
    Guard(AsyncLock& lock, std::adopt_lock_t) noexcept FUTON_RELEASE(lock) : lock_(&lock) {}

    /// Owns no lock, for this reason.
    explicit Guard(WaitResult failure) noexcept : result_(failure) {}

    Guard(Guard&& other) noexcept : lock_(other.release()), result_(other.result_) {}
    Guard& operator=(Guard&& other) noexcept {
        Guard taken(std::move(other));
        std::swap(lock_, taken.lock_);
        std::swap(result_, taken.result_);
        return *this;
    }
    ~Guard() {
        if (lock_ != nullptr) lock_->try_unlock();
    }

    /// Whether it owns the lock, and unlocks it.
    bool owns_lock() const noexcept { return lock_ != nullptr; }
    explicit operator bool() const noexcept { return owns_lock(); }

    /// `ok`, `timed_out` or `cancelled`.
    WaitResult result() const noexcept { return result_; }

    /// Unlocks before the end of the scope. Throws std::system_error (operation_not_permitted) if it owns nothing.
    void unlock() FUTON_NO_THREAD_SAFETY_ANALYSIS {
        if (lock_ == nullptr) [[unlikely]]
            throw_not_held("futon::AsyncLock::Guard::unlock: it owns no lock");
        std::exchange(lock_, nullptr)->unlock();
    }

    /// The same with `AsyncLock::unlock_fair`.
    void unlock_fair() FUTON_NO_THREAD_SAFETY_ANALYSIS {
        if (lock_ == nullptr) [[unlikely]]
            throw_not_held("futon::AsyncLock::Guard::unlock_fair: it owns no lock");
        std::exchange(lock_, nullptr)->unlock_fair();
    }

    /// Gives up ownership without unlocking. Returns the lock, which the caller unlocks; null if it owned nothing.
    AsyncLock* release() noexcept { return std::exchange(lock_, nullptr); }

private:
    AsyncLock* lock_ = nullptr;
    WaitResult result_ = WaitResult::ok;
};

/// "Lock it", as an operation.
class FUTON_API AsyncLock::Locking {
public:
    using Result = Guard;
    static constexpr const char* name = "futon::AsyncLock::lock";

    explicit Locking(AsyncLock& lock) noexcept : lock_(lock) {}
    const void* key() const noexcept { return lock_.get(); }
    bool try_now() noexcept { return (!is_tried_ && lock_->try_lock_uncontended()) || try_now_contended(); }
    bool try_spinning() noexcept { return lock_->try_lock_spinning(duties_); }
    core::WaitCheck check(core::Caller caller) noexcept;
    Deadline retry_at(core::Caller caller) noexcept;
    void left() noexcept;
    bool woken(core::WakeToken token) noexcept;
    void give_back(core::WakeToken token) noexcept FUTON_NO_THREAD_SAFETY_ANALYSIS;
    Guard result(core::Ending ending) noexcept FUTON_NO_THREAD_SAFETY_ANALYSIS {
        const WaitResult result = core::to_wait_result(ending);
        if (result != WaitResult::ok) return Guard(result);
        core::probe::acquired(lock_.get());
        return Guard(*lock_, std::adopt_lock);
    }

    /// When the waiter came first, or, for a strict lock, was enqueued first, in nanoseconds of the steady clock: waiters that
    /// were woken in vain are queued again by that. Zero for a waiter that is not for the lock: it gets no handoff.
    std::uint64_t request() const noexcept { return since_; }
    static constexpr bool is_ordered_by_request = true;

private:
    friend class AsyncLock;
    friend class Condition;

    /// One whose first try has been made.
    struct Tried {};
    Locking(AsyncLock& lock, Tried) noexcept : lock_(lock), is_tried_(true) {}

    static bool must_wait(void* word, std::uint64_t locking) noexcept;
    bool try_now_contended() noexcept;
    bool take_or_do_duties() noexcept;
    void pass_on() noexcept FUTON_NO_THREAD_SAFETY_ANALYSIS;

    core::Target<AsyncLock> lock_;
    std::uint64_t since_ = 0;    // as `request` says
    std::uint64_t arrived_ = 0;  // when it came
    std::uint32_t duties_ = 0;   // bits of the word that this waiter must clear with its next step: `woken`, `watched`
    bool is_tried_ = false;      // the first try has been made
    bool is_thread_ = false;
    bool is_watching_ = false;  // it was told when to try again
    bool is_deputy_ = false;    // it owns the lock for the first in the queue, to which it must pass it
};

inline AsyncLock::Locking AsyncLock::locking() noexcept {
    return Locking(*this);
}

}  // namespace futon

#include <futon/sync/async_lock_tasks.hpp>  // how tasks lock it
