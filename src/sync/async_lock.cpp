// SPDX-License-Identifier: MIT
#include <futon/sync/async_lock.hpp>

#include <algorithm>
#include <system_error>

#include <futon/core/block.hpp>

#include "platform/clock.hpp"
#include "platform/race_detector.hpp"
#include "platform/spin.hpp"
#include "platform/stop_order.hpp"

namespace futon {

/// The word of a lock: what it says, and what it becomes.
struct FUTON_LOCAL AsyncLock::State {
    using Word = std::uint32_t;

    static constexpr Word flags = (Word{1} << time_shift) - 1;
    static constexpr Word releases = 3 * release;
    static constexpr int unit = 14;  // of the time, as a power of two nanoseconds
    // Both ends of an age are rounded down, so that it is up to one unit off: not after the threshold a handoff is due, not
    // before the threshold an offer expires.
    static constexpr auto handoff_age = static_cast<Word>(std::chrono::nanoseconds(handoff_threshold).count() >> unit);
    static constexpr Word expired_age = handoff_age + 2;

    static std::uint64_t now_in_nanoseconds() noexcept {
        return static_cast<std::uint64_t>(std::chrono::nanoseconds(platform::now().time_since_epoch()).count());
    }
    static Word time(std::uint64_t nanoseconds) noexcept {
        return static_cast<Word>(nanoseconds >> unit) << time_shift;
    }
    static Word now() noexcept { return time(now_in_nanoseconds()); }
    static Word at(Word word, Word time) noexcept { return (word & flags) | (time & ~flags); }
    static Word age(Word word) noexcept { return (now() - (word & ~flags)) >> time_shift; }
    static bool is_handoff_due(Word word) noexcept { return age(word) >= handoff_age; }
    static bool is_expired(Word word) noexcept { return age(word) >= expired_age; }

    /// When the offer that the word says expires.
    static Deadline expiry(Word word) noexcept {
        const Word spent = std::min(age(word), expired_age);
        return Deadline(std::chrono::nanoseconds(std::int64_t{expired_age - spent} << unit));
    }

    /// Whether a caller with these duties may take the lock. A strict one that was released is its woken thread's. [fifo]
    static bool can_take(Word word, Word duties) noexcept {
        if ((word & held) != 0) return false;
        if ((word & offered) != 0) return is_expired(word);  // [offer]
        return (word & strict) == 0 || (word & woken) == 0 || (duties & woken) != 0;
    }

    static Word taken(Word word, Word duties) noexcept {
        const Word next = (word | held) & ~(offered | duties);
        return without_idle_time((word & offered) != 0 ? at(next, now()) : next);
    }
    static Word released(Word word) noexcept {
        const bool is_counted = (word & (has_waiters | woken)) == (has_waiters | woken);
        const Word next = is_counted ? (word & ~releases) | ((word + release) & releases) : word;
        return without_idle_time(next & ~held);
    }
    static Word queued(Word word, Word duties, Word kind, Word since) noexcept {
        const Word next = (word & ~duties) | has_waiters | kind;
        return (word & (has_waiters | offered)) == 0 ? at(next, since) : next;
    }

    /// Whether an unlock must wake a waiter: not where a thread was woken that will try. [woken] But that thread may have to
    /// wait for a processor, so each fourth unlock asks the clock whether a handoff is due.
    static bool must_pass(Word word) noexcept {
        if ((word & has_waiters) == 0) return false;
        return (word & woken) == 0 || ((word & strict) == 0 && (word & releases) == releases && is_handoff_due(word));
    }

    /// The time means something while waiters are queued, or the lock is offered.
    static Word without_idle_time(Word word) noexcept {
        return (word & (has_waiters | offered)) == 0 ? word & ((release - 1) | abandoned) : word;
    }
};

/// Decides under the queue's lock to which waiter the lock is passed, and how.
///
/// A thread that is first in the queue is woken, or handed the lock off where that is due. To a task the lock is only
/// offered, or it is woken, for its loop may not run: then another waiter is woken too, a thread if there is one. That one
/// takes the lock if it is free, or watches the offer. [offer]
class FUTON_LOCAL AsyncLock::Passing final : public core::WakeVisitor {
public:
    enum class Purpose : std::uint8_t {
        unlock,  ///< the caller owns the lock
        watch,   ///< the lock stays what it is: where no owner will pass it on, waiters are woken in the caller's place
    };

    Passing(AsyncLock& lock, Purpose purpose) noexcept : lock_(lock), purpose_(purpose) {}

    void pass() noexcept { core::table_for(&lock_.word_).wake_while(&lock_.word_, *this, core::everyone); }

private:
    /// What the word says now. Its bits for the queue change under the queue's lock only. [has-waiters] [offer]
    std::uint32_t word() const noexcept { return lock_.word_.load(std::memory_order_relaxed); }  // as said above

    Decision decide(const core::Waiter& waiter) noexcept override {
        if (is_complete_) return Decision::stop;
        if (purpose_ == Purpose::watch && (word() & held) != 0) {  // a passer-by took it: its unlock passes it on
            is_complete_ = true;                                   // not because the whole queue was searched
            return Decision::stop;
        }
        if (!is_passed_) return Decision::take;
        const core::WaiterDescription who = waiter.describe();
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
        if (purpose_ == Purpose::unlock && (seen & watched) != 0) is_complete_ = true;
        const bool is_handoff = (seen & strict) != 0 || State::is_handoff_due(seen);
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
        if (purpose_ == Purpose::unlock) word = (word & ~held) | kept_;
        if (kept_ != 0) word = State::at(word, time_);
        if (queue_is_empty) word &= ~(has_waiters | has_threads);  // [has-waiters]
        if (!is_complete_ && is_passed_) word &= ~has_threads;     // the whole queue was searched for one
        if (gives_woken_) word |= woken;                           // [woken]
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
    while (State::can_take(seen, duties)) {
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
    // What was decided by inline functions that were compiled here: an uncontended acquisition, a stop before the wait.
    if (guard.owns_lock()) platform::note_acquire(&word_);
    if (guard.result() == WaitResult::cancelled) platform::note_stop_is_seen(stop);
    guard.release();
    return guard.result();
}

bool AsyncLock::unlock_contended() noexcept {
    platform::note_release(&word_);
    std::uint32_t seen = word_.load(std::memory_order_relaxed);  // by its owner; decided by what follows
    while ((seen & held) != 0) {
        if (State::must_pass(seen)) {
            Passing(*this, Passing::Purpose::unlock).pass();
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

/// "The lock is not to be had", and a note that a waiter is queued then; otherwise it is taken. One step under the queue's
/// lock, so that no attempt can be too late again and again. [check]
core::WaitCheck AsyncLock::Locking::check(core::Caller caller) noexcept {
    is_thread_ = caller == core::Caller::thread;
    if (since_ == 0) since_ = State::now_in_nanoseconds() | 1;  // kept through all retries
    const std::uint64_t since = State::time(since_);
    const std::uint32_t bits = std::exchange(duties_, 0) | (is_thread_ ? has_threads : 0);
    return {&lock_->word_, since << 32 | bits, &AsyncLock::must_wait};
}

bool AsyncLock::must_wait(void* word, std::uint64_t expected) noexcept {
    auto& state = *static_cast<detail::Atomic<std::uint32_t>*>(word);
    const auto since = static_cast<std::uint32_t>(expected >> 32);
    const auto kind = static_cast<std::uint32_t>(expected) & has_threads;
    const auto duties = static_cast<std::uint32_t>(expected) & ~has_threads;
    std::uint32_t seen = state.load(std::memory_order_relaxed);  // decided by the exchange
    while (true) {
        const bool is_free = State::can_take(seen, duties);
        const std::uint32_t next = is_free ? State::taken(seen, duties) : State::queued(seen, duties, kind, since);
        if (state.compare_exchange_weak(seen, next, std::memory_order_acquire,  // [lock-release]
                                        std::memory_order_relaxed)) {           // tries again
            if (is_free) platform::note_acquire(&state);
            return !is_free;
        }
    }
}

/// [offer] Where the lock is offered, one blocked thread wakes up when the offer expires, and each task.
Deadline AsyncLock::Locking::retry_at(core::Caller caller) noexcept {
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
    if (duties_ != 0 || is_watching_) pass_on();
}

/// The caller leaves, and others rely on it: that it takes a free lock [woken], or watches an offer [offer]. An unlock that is
/// under way relied on it too, if it has its queue's lock already: so the queue is asked in any case.
void AsyncLock::Locking::pass_on() noexcept {
    if (take_or_do_duties()) {
        lock_->try_unlock();
    } else {
        Passing(*lock_, Passing::Purpose::watch).pass();
    }
}

void AsyncLock::throw_agent_ended() {
    throw std::system_error(std::make_error_code(std::errc::operation_canceled),
                            "futon::AsyncLock::lock_async: the agent ended before the lock was free");
}

}  // namespace futon
