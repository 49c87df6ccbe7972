// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <futon/core/operation/operation.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/thread_safety.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/sync/async_lock.hpp>
#include <futon/sync/condition.hpp>
#include <futon/wait_result.hpp>

// The operation that waits at a Condition, and its notifications.
//
// The condition's word, by its bits. All change only under the queue's lock.
//
//     bit          means                                  set by                      cleared by
//     has_waiters  a waiter may be queued: never clear    a check that must wait      a wake, a move or a leaving waiter
//                  while one is                                                       that finds the queue empty
//     tag          the queued waiters' lock: bits of      as has_waiters              as has_waiters
//                  its address
namespace futon {

static_assert(sizeof(Condition) == 4 && (std::is_trivially_destructible_v<Condition> || core::probe::is_enabled));

inline bool Condition::has_waiters_now() const noexcept {
    return (word_.load(std::memory_order_relaxed) & has_waiters) != 0;  // the lock orders it
}

inline std::size_t Condition::notify_one() noexcept {
    return has_waiters_now() ? notify(1, Notification::one) : 0;
}

inline std::size_t Condition::notify_all() noexcept {
    return has_waiters_now() ? notify(core::everyone, Notification::all) : 0;
}

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
    static constexpr bool polls_for_wake_up = true;  // `try_spinning` is for the lock alone

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

#include <futon/detail/sync/condition_tasks.hpp>    // how coroutines wait
#include <futon/detail/sync/condition_threads.hpp>  // how threads wait

#include <futon/detail/end.hpp>
