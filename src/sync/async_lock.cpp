// SPDX-License-Identifier: MIT
#include <futon/sync/async_lock.hpp>

#include <system_error>

#include <futon/core/block.hpp>
#include <futon/sync/guarded.hpp>
#include <futon/sync/lock_all.hpp>

#include "platform/race_detector.hpp"
#include "platform/spin.hpp"
#include "sync/async_lock_state.hpp"

namespace futon {

/// Decides under the queue's lock to which waiter the lock is passed, and how.
///
/// A thread that is first in the queue is woken, or handed the lock off where that is due. To a task the lock is only
/// offered, or it is woken, for its loop may not run: then another waiter is woken too, a thread if there is one. That one
/// takes the lock if it is free, or watches the offer. [offer]
class FUTON_LOCAL AsyncLock::Passing final : public core::WakeVisitor {
public:
    Passing(AsyncLock& lock, Purpose purpose) noexcept : lock_(lock), purpose_(purpose) {}

    void pass() noexcept {
        do {
            skipped_ = 0;
            core::table_for(&lock_.word_).wake_while(&lock_.word_, *this, core::everyone);
        } while (purpose_ == Purpose::watch && !is_passed_ && skipped_ != 0);  // for a thread, and none was found
    }

private:
    /// What the word says now. Its bits for the queue change under the queue's lock only. [has-waiters] [offer]
    std::uint32_t word() const noexcept { return lock_.word_.load(std::memory_order_relaxed); }  // as said above

    Decision decide(const core::Waiter& waiter) noexcept override {
        if (is_complete_) return Decision::stop;
        if (purpose_ == Purpose::watch && State::is_watched_by_another(word())) {
            is_complete_ = true;  // not because the whole queue was searched
            return Decision::stop;
        }
        if (!is_passed_ && purpose_ != Purpose::watch) return Decision::take;
        const core::WaiterDescription who = waiter.describe();
        if (!is_passed_) {
            // [fifo] A task that is woken to watch leaves its place to those behind it until its loop has run.
            const bool is_left = who.kind != core::WaiterDescription::Kind::thread && State::has_strict_order(word());
            skipped_ += is_left ? 1 : 0;
            return is_left ? Decision::skip : Decision::take;
        }
        if (who.kind == core::WaiterDescription::Kind::thread) return Decision::take;
        if (!has_company_ && who.agent != agent_) return Decision::take;
        // Tasks of the same loop, of which there may be very many. A thread is looked for behind all of them.
        const bool goes_on = (word() & has_threads) != 0 || ++skipped_ <= core::WaitTable::max_skipped;
        return goes_on ? Decision::skip : Decision::stop;
    }

    core::WakeToken take(const core::Waiter& waiter) noexcept override {
        if (waiter.request() == 0) return core::WakeToken::none;  // whatever it waits for, it is not the lock
        const core::WaiterDescription who = waiter.describe();
        const bool is_thread = who.kind == core::WaiterDescription::Kind::thread;
        if (is_thread) is_complete_ = true;
        if (std::exchange(is_passed_, true)) {
            has_company_ = true;
            gives_woken_ = is_thread;
            return core::WakeToken::none;
        }
        const std::uint32_t seen = word();
        agent_ = who.agent;
        if (purpose_ == Purpose::deputy || (purpose_ != Purpose::watch && (seen & watched) != 0)) is_complete_ = true;
        // The clock is read last: it costs more than the other conditions.
        const bool is_handoff = purpose_ == Purpose::fair || (seen & strict) != 0 ||
                                ((seen & has_threads) == 0 && waiter.is_here()) || State::is_handoff_due(seen);
        if (purpose_ == Purpose::watch || !is_handoff) {
            gives_woken_ = is_thread;
            return core::WakeToken::none;
        }
        core::probe::handing_off(&lock_.word_, waiter);
        time_ = State::now();
        kept_ = is_thread ? held : offered;
        return is_thread ? core::WakeToken::handed_off : static_cast<core::WakeToken>(State::at(offered, time_));
    }

    /// [last-touch] The one change of the word, and the last touch of the lock, unless for its next owner.
    void finish(bool queue_is_empty) noexcept override {
        std::uint32_t seen = word();  // decided by the exchange
        platform::note_release(&lock_.word_);
        while (!lock_.word_.compare_exchange_weak(seen, next(seen, queue_is_empty),
                                                  std::memory_order_release,     // [lock-release]
                                                  std::memory_order_relaxed)) {  // tries again
        }
    }

    std::uint32_t next(std::uint32_t word, bool queue_is_empty) const noexcept {
        if (purpose_ != Purpose::watch) word = (word & ~held) | kept_;
        if (kept_ != 0) word = State::at(word, time_);
        if (queue_is_empty) word &= ~(has_waiters | has_threads);  // [has-waiters]
        if (!is_complete_ && (is_passed_ || skipped_ != 0))
            word &= ~has_threads;         // the whole queue was searched for one
        if (gives_woken_) word |= woken;  // [woken]
        return State::without_idle_time(word);
    }

    AsyncLock& lock_;
    const Purpose purpose_;
    bool is_passed_ = false;    // to the first in the queue
    bool has_company_ = false;  // a waiter that is no task of the same agent was woken too
    bool is_complete_ = false;  // no more waiters are looked for
    bool gives_woken_ = false;
    const void* agent_ = nullptr;  // of the task to which the lock is passed
    std::size_t skipped_ = 0;
    std::uint32_t kept_ = 0;  // what the word says in the place of `held`
    std::uint32_t time_ = 0;  // of the handoff
};

bool AsyncLock::try_lock_contended(std::uint32_t duties) noexcept {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);  // decided by the exchange
    while (State::can_take(seen, duties) && !State::is_for_first(seen, duties)) {
        if (word_.compare_exchange_weak(seen, State::taken(seen, duties), std::memory_order_acquire,  // [lock-release]
                                        std::memory_order_relaxed)) {                                 // tries again
            platform::note_acquire(&word_);
            return true;
        }
    }
    return false;
}

/// Polls the lock for as long as that pays before a thread goes to sleep for it. Gives up at once where polling cannot
/// help: while the lock is offered to a task; if it is strict and a waiter is queued, for the queue is the only way to it.
bool AsyncLock::try_lock_spinning(std::uint32_t duties) noexcept {
    bool is_locked = false;
    platform::spin_until([&] {
        const std::uint32_t seen = word_.load(std::memory_order_relaxed);  // a poll
        is_locked = (seen & held) == 0 && try_lock_contended(duties);
        return is_locked || (seen & offered) != 0 || ((seen & strict) != 0 && (seen & has_waiters) != 0);
    });
    return is_locked;
}

/// [offer] Makes an offer to a task its lock, unless it has expired and another took it. Offers are told apart by their
/// times: one that is still open is not older than the threshold, or the last. What came before an offer is ordered by the post
/// that brings it; the acquire is for a job that comes a whole round of the time too late, and takes another's.
bool AsyncLock::take_offer(core::WakeToken offer) noexcept {
    const auto expected = static_cast<std::uint32_t>(offer);
    std::uint32_t seen = word_.load(std::memory_order_relaxed);  // decided by the exchange
    while ((seen & offered) != 0 && State::at(offered, seen) == expected) {
        const std::uint32_t next = State::without_idle_time((seen & ~offered) | held);
        if (word_.compare_exchange_weak(seen, next, std::memory_order_acquire,  // [lock-release] (not explored)
                                        std::memory_order_relaxed)) {           // tries again
            platform::note_acquire(&word_);
            return true;
        }
    }
    return false;
}

void AsyncLock::lock_contended(std::uint32_t seen) {
    if ((seen & held) == 0 && try_lock_contended()) {
        core::probe::acquired(this);
    } else {
        core::block(Locking(*this, Locking::Tried{})).release();
    }
}

WaitResult AsyncLock::lock_until(Deadline deadline, const std::stop_token& stop) {
    Guard guard = core::block(locking(), deadline, stop);
    guard.release();
    return guard.result();
}

bool AsyncLock::unlock_contended() noexcept {
    return release_contended(Purpose::unlock);
}

bool AsyncLock::try_unlock_fair() noexcept {
    core::probe::releasing(this);
    detail::LockOrder::unlocking(this);
    return release_contended(Purpose::fair);
}

bool AsyncLock::release_contended(Purpose purpose) noexcept {
    platform::note_release(&word_);
    std::uint32_t seen = word_.load(std::memory_order_relaxed);  // by its owner; decided by what follows
    while ((seen & held) != 0) {
        if (State::must_pass(seen, purpose)) {
            Passing(*this, purpose).pass();
            return true;
        }
        if (word_.compare_exchange_strong(seen, State::released(seen), std::memory_order_release,  // [lock-release]
                                          std::memory_order_relaxed))                              // tries again
            return true;
    }
    return false;
}

bool AsyncLock::abandon() noexcept {
    core::probe::releasing(this);
    detail::LockOrder::unlocking(this);
    if ((word_.load(std::memory_order_relaxed) & held) == 0) return false;  // it stays so while its owner is gone
    word_.fetch_or(abandoned, std::memory_order_relaxed);                   // published by the release
    return unlock_contended();
}

void AsyncLock::throw_not_held(const char* what) {
    throw std::system_error(std::make_error_code(std::errc::operation_not_permitted), what);
}

/// Whether the caller must wait, which notes that a waiter is queued; otherwise it takes the lock. One step under the queue's
/// lock, so that no attempt can be too late again and again. [check]
core::WaitCheck AsyncLock::Locking::check(core::Caller caller) noexcept {
    is_thread_ = caller == core::Caller::thread;
    if (since_ == 0) arrived_ = State::now_in_nanoseconds() | 1;
    return {&lock_->word_, reinterpret_cast<std::uintptr_t>(this), &Locking::must_wait};
}

/// [fifo] The waiters of a strict lock are ordered by when they were queued, not by when they came. A thread that
/// was woken to watch an offer may find the lock released, and waiters queued: then it owns the lock for the first of them,
/// and is enqueued at its own place.
bool AsyncLock::Locking::must_wait(void* word, std::uint64_t locking) noexcept {
    auto& state = *static_cast<detail::Atomic<std::uint32_t>*>(word);
    auto& op = *reinterpret_cast<Locking*>(static_cast<std::uintptr_t>(locking));
    const std::uint32_t duties = std::exchange(op.duties_, 0);
    const std::uint32_t kind = op.is_thread_ ? has_threads : 0;
    std::uint32_t seen = state.load(std::memory_order_relaxed);  // decided by the exchange
    const std::uint64_t came = (seen & strict) != 0 ? State::now_in_nanoseconds() | 1 : op.arrived_;
    const std::uint64_t since = op.since_ != 0 ? op.since_ : came;  // kept through all retries
    while (true) {
        const bool is_free = State::can_take(seen, duties);
        const bool is_deputy = is_free && State::is_for_first(seen, duties);
        const std::uint32_t next = is_deputy ? State::taken(seen, duties) | kind
                                   : is_free ? State::taken(seen, duties)
                                             : State::queued(seen, duties, kind, State::time(since));
        if (state.compare_exchange_weak(seen, next, std::memory_order_acquire,  // [lock-release]
                                        std::memory_order_relaxed)) {           // tries again
            if (is_free) platform::note_acquire(&state);
            if (is_free && !is_deputy) return false;
            op.is_deputy_ = is_deputy;
            op.since_ = since;
            return true;
        }
    }
}

/// Notes that waiters are being moved to the queue, if the lock is held: its unlock will pass it on. Under the queue's lock.
/// [has-waiters] Else it notes nothing: no unlock is to come.
bool AsyncLock::note_moved(std::uint64_t since) noexcept {
    std::uint32_t seen = word_.load(std::memory_order_relaxed);  // decided by the exchange
    while ((seen & held) != 0) {
        const std::uint32_t next = State::queued(seen, 0, has_threads, State::time(since));
        if (word_.compare_exchange_weak(seen, next, std::memory_order_relaxed,  // nothing is published
                                        std::memory_order_relaxed))             // tries again
            return true;
    }
    return false;
}

/// [offer] Where the lock is offered, one blocked thread wakes up when the offer expires, and each task.
Deadline AsyncLock::Locking::retry_at(core::Caller caller) noexcept {
    if (std::exchange(is_deputy_, false))
        lock_->release_contended(Purpose::deputy);  // to this waiter, if it is the first
    auto& word = lock_->word_;
    std::uint32_t seen = word.load(std::memory_order_relaxed);  // decided by the exchange
    const bool is_task = caller == core::Caller::task;
    const bool is_appointed = (duties_ & watched) != 0;  // a select goes on, and this waiter has stayed in its queue
    while (true) {
        is_watching_ = (seen & offered) != 0 && (is_task || is_appointed || (seen & watched) == 0);
        if (!is_watching_) {
            if (is_appointed) pass_on();  // an unlock may have relied on it
            return Deadline::never();
        }
        if (is_task || is_appointed) return State::expiry(seen);
        if (word.compare_exchange_weak(seen, seen | watched, std::memory_order_relaxed,  // nothing is published
                                       std::memory_order_relaxed)) {                     // tries again
            duties_ |= watched;
            return State::expiry(seen);
        }
    }
}

bool AsyncLock::Locking::try_now_contended() noexcept {
    if (std::exchange(is_tried_, false)) return false;
    return lock_->try_lock_contended(duties_);
}

/// Takes the lock, or does its duties, in one step: an unlock that finds `woken` relies on the thread to try afterwards.
/// [woken]
///
/// Who takes it here releases it at once. The acquire is for a waiter to which that hands the lock off, where the owner before
/// released it without a word to either.
bool AsyncLock::Locking::take_or_do_duties() noexcept {
    const std::uint32_t duties = std::exchange(duties_, 0);
    auto& word = lock_->word_;
    std::uint32_t seen = word.load(std::memory_order_relaxed);  // decided by the exchange
    while (true) {
        const bool is_free = State::can_take(seen, duties);
        const std::uint32_t next = is_free ? State::taken(seen, duties) : seen & ~duties;
        if (word.compare_exchange_weak(seen, next, std::memory_order_acquire,  // [lock-release] (not explored)
                                       std::memory_order_relaxed)) {           // tries again
            if (is_free) platform::note_acquire(&word);
            return is_free;
        }
    }
}

bool AsyncLock::Locking::woken(core::WakeToken token) noexcept {
    if (token == core::WakeToken::none) {
        if (is_thread_) duties_ |= AsyncLock::woken;
        return false;
    }
    if (token != core::WakeToken::handed_off) return lock_->take_offer(token);
    if (duties_ != 0) lock_->word_.fetch_and(~std::exchange(duties_, 0), std::memory_order_relaxed);  // by the owner
    return true;
}

void AsyncLock::Locking::give_back(core::WakeToken token) noexcept {
    if (woken(token)) {
        lock_->try_unlock();
    } else if (token == core::WakeToken::none) {
        pass_on();
    }
}

void AsyncLock::Locking::left() noexcept {
    if (std::exchange(is_deputy_, false)) lock_->unlock_contended();  // a select that ends before it has begun to wait
    if (duties_ != 0 || is_watching_) pass_on();
}

/// The caller leaves, and others rely on it: that it takes a free lock [woken], or watches an offer [offer]. An unlock that is
/// under way relied on it too, if it has its queue's lock already: so the queue is asked in any case.
void AsyncLock::Locking::pass_on() noexcept {
    if (take_or_do_duties()) {
        lock_->try_unlock();
    } else {
        Passing(*lock_, Purpose::watch).pass();
    }
}

void detail::throw_no_access() {
    throw std::system_error(std::make_error_code(std::errc::operation_not_permitted),
                            "futon::Guarded: the lock is not held, so the value must not be used");
}

void detail::throw_owns_no_locks() {
    throw std::system_error(std::make_error_code(std::errc::operation_not_permitted),
                            "futon::MultiGuard::unlock: it owns no locks");
}

void detail::throw_locked_twice() {
    throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur),
                            "futon::lock_all: one lock is named twice");
}

void AsyncLock::throw_agent_ended() {
    throw std::system_error(std::make_error_code(std::errc::operation_canceled),
                            "futon::AsyncLock::lock_async: the agent ended before the lock was free");
}

}  // namespace futon
