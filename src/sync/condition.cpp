// SPDX-License-Identifier: MIT
#include <futon/sync/condition.hpp>

#include <algorithm>
#include <system_error>
#include <utility>

#include <futon/core/driver/block.hpp>
#include <futon/core/queue/wait_table.hpp>

#include "base/error.hpp"
#include "platform/clock.hpp"
#include "platform/race_detector.hpp"

namespace futon {

namespace {

/// The time in the form in which an arbiter's request says when a waiter was enqueued. Never zero.
std::uint64_t now_in_nanoseconds() noexcept {
    return static_cast<std::uint64_t>(platform::shared_now().count()) | 1;
}

AsyncLock* lock_in(std::uint64_t request) noexcept {
    return reinterpret_cast<AsyncLock*>(static_cast<std::uintptr_t>(request));
}

}  // namespace

/// Reads which lock the first waiter uses, and wakes no waiter.
class FUTON_LOCAL Condition::Peek final : public core::WakeVisitor {
public:
    explicit Peek(Condition& condition) noexcept : condition_(condition) {}

    AsyncLock* lock() const noexcept { return lock_; }

private:
    Decision decide(const core::Waiter& waiter) noexcept override {
        lock_ = lock_in(waiter.request().word);
        return Decision::stop;
    }
    core::WakeToken take(const core::Waiter&) noexcept override { return core::WakeToken::none; }
    void finish(bool queue_is_empty) noexcept override {
        if (queue_is_empty) condition_.word_.store(0, std::memory_order_relaxed);  // under the queue's lock
    }

    Condition& condition_;
    AsyncLock* lock_ = nullptr;
};

/// Wakes waiters for a lock that none of them needs to wait for.
class FUTON_LOCAL Condition::Waking final : public core::WakeVisitor {
public:
    Waking(Condition& condition, std::size_t count, Notification kind) noexcept
        : condition_(condition), left_(count), kind_(kind) {}

private:
    Decision decide(const core::Waiter&) noexcept override { return left_ != 0 ? Decision::take : Decision::stop; }
    core::WakeToken take(const core::Waiter&) noexcept override {
        --left_;
        return static_cast<core::WakeToken>(kind_);
    }
    bool may_pause() noexcept override { return true; }  // no woken waiter goes on before `finish` [parts]
    bool takes_latecomers() noexcept override { return false; }
    void finish(bool queue_is_empty) noexcept override {
        if (queue_is_empty) condition_.word_.store(0, std::memory_order_relaxed);  // under the queue's lock
    }

    Condition& condition_;
    std::size_t left_;
    const Notification kind_;
};

/// A move of waiters to the queue of their lock: the information for its check and for the waiters, under the locks of
/// both queues.
struct FUTON_LOCAL Condition::Move {
    Condition& condition;
    AsyncLock& lock;
    Notification kind;
    std::uint64_t since;
    bool has_begun = false;
    bool owes_pass = false;  // the lock was free when a later part was moved

    /// Whether the queued waiters use this lock and it is held: then its unlock wakes the first of them. Once a part
    /// was moved, the others follow whatever the lock's state, for there is one notification. If the lock is free then,
    /// this wakes the first of them. [parts]
    static bool is_possible(void*, std::uint64_t self) noexcept {
        Move& move = *reinterpret_cast<Move*>(static_cast<std::uintptr_t>(self));
        const std::uint32_t word = move.condition.word_.load(std::memory_order_relaxed);  // under the queue's lock
        if (word != (tag_of(move.lock) | has_waiters)) return false;
        const bool is_served = move.lock.note_moved(AsyncLock::rules, move.since, move.has_begun);
        if (!is_served && !move.has_begun) return false;
        move.owes_pass = move.owes_pass || !is_served;
        move.has_begun = true;
        return true;
    }

    std::size_t up_to(std::size_t count) noexcept {
        const core::WaitCheck to{&lock.word_, static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(this)),
                                 &is_possible, core::FoundBy::note};
        const std::size_t moved = core::table_for(&condition.word_).requeue(&condition.word_, to, count);
        if (std::exchange(owes_pass, false)) {  // [served]
            lock.keep_offer(AsyncLock::rules);
            lock.pass(AsyncLock::rules);
        }
        return moved;
    }
};

std::uint32_t Condition::tag_of(const AsyncLock& lock) noexcept {
    const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&lock));
    return static_cast<std::uint32_t>(address >> 2 << 1);
}

/// Null if no waiter is queued.
AsyncLock* Condition::lock_of_first() noexcept {
    Peek peek(*this);
    core::table_for(&word_).wake_while(&word_, peek);
    return peek.lock();
}

/// [last-touch] The owner of the lock serves waiters that were moved or woken. So after that this does not touch the
/// condition, and touches the lock only while it owns it.
std::size_t Condition::notify(std::size_t count, Notification kind) noexcept {
    AsyncLock* const lock = lock_of_first();
    if (lock == nullptr) return 0;
    Move move{*this, *lock, kind, now_in_nanoseconds()};
    const bool seems_held = (lock->state() & AsyncLock::held) != 0;  // else both queues would be locked in vain
    if (const std::size_t moved = seems_held ? move.up_to(count) : 0) return moved;
    // The lock was free, or seemed so. It is locked for the waiters, so that its unlock decides which of them to wake, and
    // how, as for all other waiters in its queue.
    if (lock->try_lock()) {
        const std::size_t moved = move.up_to(count);
        lock->try_unlock();
        return moved;
    }
    if (const std::size_t moved = move.up_to(count)) return moved;
    // The lock is offered to a task, or others are queued for it in a strict order, or another has just released it. So the
    // waiters are woken, and enqueue themselves. [keeper]
    Waking waking(*this, count, kind);
    return core::table_for(&word_).wake_while(&word_, waking);
}

AsyncLock* Condition::lock_of(AsyncLock::Guard& guard) noexcept {
    AsyncLock* const lock = guard.release();
    if (lock != nullptr) guard = AsyncLock::Guard(*lock, std::adopt_lock);
    return lock;
}

void Condition::require_usable(const AsyncLock* lock) {
    if (lock == nullptr || (lock->state() & AsyncLock::held) == 0)
        detail::throw_error(std::errc::operation_not_permitted, "futon::Condition::wait: the lock is not held");
    const std::uint32_t expected = tag_of(*lock) | has_waiters;
    const auto is_of_other = [&] {
        const std::uint32_t word = word_.load(std::memory_order_relaxed);  // decided by the check
        return word != 0 && word != expected;
    };
    if (!is_of_other()) return;
    lock_of_first();  // clears what departed waiters have left
    if (is_of_other())
        detail::throw_error(std::errc::invalid_argument,
                            "futon::Condition::wait: waiters with another lock are queued");
}

Condition::Waiting::Waiting(Condition& condition, AsyncLock::Guard guard)
    : condition_((condition.require_usable(lock_of(guard)), condition)),
      lock_(lock_of(guard)),
      kept_(std::move(guard)),
      locking_(*lock_) {}

Condition::Waiting Condition::waiting(AsyncLock::Guard guard) {
    return Waiting(*this, std::move(guard));
}

Condition::Waiting Condition::waiting_or_keeping(AsyncLock::Guard& guard) noexcept {
    AsyncLock& lock = *lock_of(guard);
    return Waiting(*this, lock, Waiting::Kept(&guard));
}

/// Else a polling loop would keep the lock for ever, and an event loop would never run the job that the poll waits for.
Limits Condition::no_sooner_than_shortest(const Limits& limits) noexcept {
    if (!limits.has_deadline()) return limits;
    return {std::max(limits.deadline(), Deadline(shortest_wait)), limits.stop()};
}

WaitResult Condition::wait_with(AsyncLock::Guard& guard, const Limits& limits) {
    Wakeup wakeup = core::block(waiting_or_keeping(guard), no_sooner_than_shortest(limits));
    guard = std::move(wakeup.guard);
    return wakeup.result;
}

core::Demand Condition::Waiting::request() const noexcept {
    if (is_moved_ || phase_ == Phase::for_lock) return locking_.request();
    return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(lock_));
}

bool Condition::Waiting::try_now() noexcept {
    if (phase_ == Phase::for_lock) is_done_ = locking_.try_now();
    if (is_done_) platform::note_acquire(&lock_->word_);
    return is_done_;
}

bool Condition::Waiting::try_spinning() noexcept {
    if (phase_ == Phase::for_lock) is_done_ = locking_.try_spinning();
    return is_done_;
}

core::WaitCheck Condition::Waiting::check(core::Caller caller) noexcept {
    const auto self = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(this));
    if (phase_ == Phase::at_first) {
        locking_.come_from(caller);  // it may be moved
        return {&condition_->word_, self, &must_wait, core::FoundBy::note};
    }
    is_for_lock_ = true;
    lock_check_ = locking_.check(caller);
    return {lock_check_.address, self, &must_lock, lock_check_.found_by};
}

/// Notes that a waiter is queued, and its lock.
bool Condition::Waiting::must_wait(void* word, std::uint64_t self) noexcept {
    Waiting& waiting = *reinterpret_cast<Waiting*>(static_cast<std::uintptr_t>(self));
    auto& state = *static_cast<detail::Atomic<std::uint32_t>*>(word);
    const std::uint32_t wanted = tag_of(*waiting.lock_) | has_waiters;
    const std::uint32_t seen = state.load(std::memory_order_relaxed);  // under the queue's lock
    waiting.is_refused_ = seen != 0 && seen != wanted;
    if (seen == 0) state.store(wanted, std::memory_order_relaxed);  // under the queue's lock
    return !waiting.is_refused_;
}

bool Condition::Waiting::must_lock(void*, std::uint64_t self) noexcept {
    Waiting& waiting = *reinterpret_cast<Waiting*>(static_cast<std::uintptr_t>(self));
    waiting.is_done_ = !waiting.lock_check_.must_wait();
    return !waiting.is_done_;
}

/// No notification is missed from here on.
void Condition::Waiting::queued() noexcept {
    if (phase_ == Phase::for_lock) return locking_.queued();
    AsyncLock* const lock = kept_.guard.release();
    if (lock == nullptr) return;
    platform::note_release(&lock->word_);
    lock->try_unlock();
}

/// Under the locks of both queues: before the lock's wakers see it, and after the condition's wakers have seen it last.
void Condition::Waiting::moved(std::uint64_t expected, bool is_last) noexcept {
    Move& move = *reinterpret_cast<Move*>(static_cast<std::uintptr_t>(expected));
    is_moved_ = true;
    notification_ = move.kind;
    locking_.take_place(move.since++);  // in the queue's order: a waiter that is woken in vain returns to it [fifo]
    if (is_last) condition_->word_.store(0, std::memory_order_relaxed);  // under the queue's lock
}

/// The waiter is dequeued; from now on it waits for the lock.
void Condition::Waiting::begin_lock() noexcept {
    phase_ = Phase::for_lock;
    is_for_lock_ = is_moved_;
}

bool Condition::Waiting::woken(core::WakeToken token) noexcept {
    if (phase_ == Phase::at_first) {
        begin_lock();
        if (!is_moved_) {
            notification_ = static_cast<Notification>(token);
            return false;
        }
    }
    is_done_ = locking_.woken(token);
    return is_done_;
}

bool Condition::Waiting::outlasts(core::Ending ending) noexcept {
    if (phase_ == Phase::for_lock) return false;
    begin_lock();
    if (!is_moved_) {
        ended_ = core::to_wait_result(ending);
        condition_->lock_of_first();  // clears the word if it was the last
    }
    return true;
}

void Condition::Waiting::left() noexcept {
    if (is_done_) return;
    if (phase_ == Phase::at_first) {
        begin_lock();
        if (!is_moved_ && condition_->has_waiters_now())
            condition_->lock_of_first();  // clears the word if it was the last
    }
    if (is_for_lock_) locking_.left();
    pass_on();
}

void Condition::Waiting::give_back(core::WakeToken token) noexcept {
    if (is_refused_) return;
    is_done_ = false;
    if (phase_ == Phase::at_first) {
        begin_lock();
        if (!is_moved_) {
            notification_ = static_cast<Notification>(token);
            token = core::WakeToken::none;
        }
    }
    if (is_for_lock_ || token != core::WakeToken::none) locking_.give_back(token);
    pass_on();
}

/// If this waiter cannot act on a notification for one, another waiter gets it. A notification for all needs no
/// successor. A waiter that timed out was not notified.
void Condition::Waiting::pass_on() noexcept {
    if (std::exchange(notification_, Notification::none) == Notification::one) condition_->notify_one();
}

Condition::Wakeup Condition::Waiting::result(core::Ending ending) {
    if (is_refused_)
        detail::throw_error(std::errc::invalid_argument,
                            "futon::Condition::wait: waiters with another lock are queued");
    if (kept_.guard.owns_lock()) return {std::move(kept_.guard), core::to_wait_result(ending)};  // it was over at once
    AsyncLock::Guard guard = locking_.result(ending);
    if (!guard.owns_lock()) return {std::move(guard), WaitResult::cancelled};
    return {std::move(guard), ended_};
}

}  // namespace futon
