// SPDX-License-Identifier: MIT
#include <futon/sync/async_lock.hpp>

#include <system_error>
#include <utility>

#include <futon/core/driver/block.hpp>
#include <futon/sync/guarded.hpp>
#include <futon/sync/lock_all.hpp>

#include "base/error.hpp"
#include "platform/race_detector.hpp"
#include "platform/spin.hpp"

namespace futon {

constinit const core::ArbiterBase<std::uint32_t>::Rules detail::LockRules::lasting =
    core::Arbiter<detail::LockRules>::own_rules;

bool AsyncLock::try_lock_contended(std::uint32_t seen) noexcept {
    if ((seen & held) != 0) return note_taken(false);
    if (!take_in_one_step(seen, one)) return note_taken(take_contended(rules, one));
    platform::note_acquire(&word_);
    return note_taken(true);
}

/// Notes what this thread is to expect of the lock, for others have had it. Returns whether the caller has it now.
bool AsyncLock::note_taken(bool is_locked) noexcept {
    detail::ReleaseNotes& notes = detail::release_notes();
    if (is_locked && word_.load(std::memory_order_relaxed) != held) {  // a hint
        notes.word = this;
        notes.left = free;
    } else if (notes.word == this) {
        notes.word = nullptr;
    }
    return is_locked;
}

void AsyncLock::lock_contended(std::uint32_t seen) {
    if (try_lock_contended(seen)) {
        core::probe::acquired(this, core::probe::Hold::lock);
    } else {
        core::block(Locking(*this, Locking::Tried{})).release();
        note_taken(true);
    }
}

WaitResult AsyncLock::lock_until(const Limits& limits) {
    Guard guard = core::block(locking(), limits);
    guard.release();
    note_taken(guard.result() == WaitResult::ok);
    return guard.result();
}

bool AsyncLock::unlock_contended() noexcept {
    return release_contended(core::Handoff::when_due);
}

bool AsyncLock::try_unlock_fair() noexcept {
    core::probe::releasing(this, core::probe::Hold::lock);
    detail::LockOrder::unlocking(this);
    return release_contended(core::Handoff::now);
}

/// Called by the owner, so a held lock stays held until it is released here. Both kinds of unlock share one copy of it: for size.
[[gnu::noinline]] bool AsyncLock::release_contended(core::Handoff handoff) noexcept {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);  // as said above
    if ((seen & held) == 0) return false;
    platform::note_release(&word_);
    detail::ReleaseNotes& notes = detail::release_notes();
    if (handoff == core::Handoff::when_due && give_back_in_one_step(seen, one)) {
        // A caller may take what is left like this, past the waiters, unless the queue is the only way. [fifo]
        notes.word = seen != free && !must_queue(seen) ? this : nullptr;
        notes.left = seen;
    } else {
        notes.word = nullptr;  // so the next take is contended, and can be timed
        Arbiter::release_contended(rules, one, ~core::ResourceState{0}, handoff);
    }
    return true;
}

bool AsyncLock::abandon() noexcept {
    core::probe::releasing(this, core::probe::Hold::lock);
    detail::LockOrder::unlocking(this);
    if ((word_.load(std::memory_order_relaxed) & held) == 0) return false;  // it stays held while its owner is gone
    word_.fetch_or(abandoned, std::memory_order_relaxed);                   // published by the release
    return unlock_contended();
}

void AsyncLock::throw_not_held(const char* what) {
    detail::throw_error(std::errc::operation_not_permitted, what);
}

bool AsyncLock::Locking::try_now_contended() noexcept {
    if (std::exchange(is_tried_, false)) return false;
    return lock().note_taken(Request::try_now());
}

/// Polls for as long as that pays before a thread goes to sleep. Gives up at once if the queue is the only way.
bool AsyncLock::Locking::try_spinning() noexcept {
    bool is_locked = false;
    std::uint32_t first = 0;
    const auto poll = [&] {
        const std::uint32_t seen = lock().word_.load(std::memory_order_relaxed);  // a poll
        if ((seen & held) == 0) {
            is_locked = lock().take_in_one_step(seen, one, duties());
            if (is_locked) {
                has_taken_all();
            } else {
                is_locked = Request::try_now();
            }
        }
        return platform::polled(is_locked, must_queue(seen), is_unchanged(seen, first));
    };
    platform::spin_until_replaced(key(), poll, [this] { return is_replaced(); });
    return lock().note_taken(is_locked);
}

void AsyncLock::Locking::give_back(core::WakeToken token) noexcept {
    if (must_release(token)) lock().try_unlock();
}

void detail::throw_no_access() {
    detail::throw_error(std::errc::operation_not_permitted,
                        "futon::Guarded: the lock is not held, so the value must not be used");
}

void detail::throw_owns_no_locks() {
    detail::throw_error(std::errc::operation_not_permitted, "futon::MultiGuard::unlock: it owns no locks");
}

void detail::throw_locked_twice() {
    detail::throw_error(std::errc::resource_deadlock_would_occur, "futon::lock_all: one lock is named twice");
}

void AsyncLock::throw_agent_ended() {
    detail::throw_error(std::errc::operation_canceled,
                        "futon::AsyncLock::lock_async: the agent ended before the lock was free");
}

}  // namespace futon
