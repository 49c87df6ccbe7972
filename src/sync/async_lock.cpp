// SPDX-License-Identifier: MIT
#include <futon/sync/async_lock.hpp>

#include <system_error>

#include <futon/core/block.hpp>

#include "platform/clock.hpp"
#include "platform/spin.hpp"

namespace futon {

namespace {

std::uint64_t now_in_nanoseconds() noexcept {
    const auto since_epoch = platform::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::nanoseconds(since_epoch).count());
}

}  // namespace

bool AsyncLock::try_lock_contended() noexcept {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);  // decided by the exchange
    while ((seen & held) == 0) {
        if (word_.compare_exchange_weak(seen, seen | held, std::memory_order_acquire,  // [lock-release]
                                        std::memory_order_relaxed))                    // tries again
            return true;
    }
    return false;
}

/// Polls the lock for as long as that pays before a thread goes to sleep for it. Gives up at once if the lock is strict
/// and a waiter is queued: the queue is the only way to it then.
bool AsyncLock::try_lock_spinning() noexcept {
    bool is_locked = false;
    platform::spin_until([&] {
        const std::uint32_t seen = word_.load(std::memory_order_relaxed);  // a poll
        is_locked = (seen & held) == 0 && try_lock_contended();
        return is_locked || ((seen & strict) != 0 && (seen & has_waiters) != 0);
    });
    return is_locked;
}

void AsyncLock::lock_contended(std::uint32_t seen) {
    core::block(Locking(*this, (seen & held) != 0 ? Locking::found_held : Locking::not_begun)).release();
}

WaitResult AsyncLock::try_lock_until(Deadline deadline, const std::stop_token& stop) {
    Guard guard = core::block(locking(), deadline, stop);
    guard.release();
    return guard.result();
}

bool AsyncLock::unlock_contended() noexcept {
    core::WaitTable& table = core::table_for(&word_);
    while (true) {
        std::uint32_t seen = word_.load(std::memory_order_relaxed);  // by its owner; decided by what follows
        if ((seen & held) == 0) return false;
        if ((seen & has_waiters) == 0 &&
            word_.compare_exchange_strong(seen, seen & ~held, std::memory_order_release,  // [lock-release]
                                          std::memory_order_relaxed))                     // a waiter was enqueued
            return true;

        core::Waiter* next = table.dequeue_first(&word_);
        if (next == nullptr) {
            // The queue was empty, but `has_waiters` is still set. A waiter that is enqueued after it was cleared sets it
            // again, and one that was enqueued before is found by looking again; all this while the lock is held.
            // [has-waiters]
            word_.fetch_and(~has_waiters, std::memory_order_relaxed);  // ordered by the queue's lock
            next = table.dequeue_first(&word_);
            if (next == nullptr) continue;
            word_.fetch_or(has_waiters, std::memory_order_relaxed);  // before the release, by the same thread
        }
        release_to(*next);
        return true;
    }
}

void AsyncLock::throw_not_held(const char* what) {
    throw std::system_error(std::make_error_code(std::errc::operation_not_permitted), what);
}

void AsyncLock::release_to(core::Waiter& next) noexcept {
    const std::uint64_t handoff_deadline = next.request();
    const bool wants_handoff = handoff_deadline != Locking::not_begun &&
                               (handoff_deadline == Locking::always || handoff_deadline <= now_in_nanoseconds());
    if (wants_handoff) {
        core::probe::handing_off(&word_, next);
        core::WaitTable::deliver(next, core::WakeToken::handed_off);  // the word stays as it is: held, by another owner
    } else {
        word_.fetch_and(~held, std::memory_order_release);  // [lock-release]; the last touch, unless for the next owner
        core::WaitTable::deliver(next);
    }
}

/// "The lock is held by another", and a note that a waiter is queued then; if it is free it is taken instead. One step
/// under the queue's lock, so that no attempt can be too late again and again. [check]
core::WaitCheck AsyncLock::Locking::check() noexcept {
    if (handoff_deadline_ == not_begun || handoff_deadline_ == found_held) {
        const bool is_strict = (lock_->word_.load(std::memory_order_relaxed) & strict) != 0;  // the bit never changes
        handoff_deadline_ =
            is_strict ? always : now_in_nanoseconds() + std::chrono::nanoseconds(handoff_threshold).count();
    }
    return {&lock_->word_, 0, [](void* word, std::uint64_t) noexcept {
                auto& state = *static_cast<detail::Atomic<std::uint32_t>*>(word);
                return (state.fetch_or(held | has_waiters, std::memory_order_acquire) & held) != 0;  // [lock-release]
            }};
}

bool AsyncLock::Locking::try_now_contended() noexcept {
    if (handoff_deadline_ == found_held) {
        handoff_deadline_ = not_begun;
        return false;
    }
    return lock_->try_lock_contended();
}

bool AsyncLock::Locking::woken(core::WakeToken token) noexcept {
    return token == core::WakeToken::handed_off;
}

void AsyncLock::Locking::give_back(core::WakeToken token) noexcept {
    // Unlocking wakes the next waiter. If the lock cannot be taken, its owner knows of the queue, and wakes the next.
    if (token == core::WakeToken::handed_off || lock_->try_lock_contended()) lock_->try_unlock();
}

void AsyncLock::throw_agent_ended() {
    throw std::system_error(std::make_error_code(std::errc::operation_canceled),
                            "futon::AsyncLock::lock_async: the agent ended before the lock was free");
}

void AsyncLock::Guard::unlock() {
    if (lock_ == nullptr) throw_not_held("futon::AsyncLock::Guard::unlock: it owns no lock");
    std::exchange(lock_, nullptr)->unlock();
}

}  // namespace futon
