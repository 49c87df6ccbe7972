// SPDX-License-Identifier: MIT
#include <futon/sync/async_lock.hpp>

#include <new>
#include <system_error>

#include <futon/typed_array.hpp>

#include "core/blocked_waiter.hpp"
#include "platform/spin.hpp"

namespace futon {

namespace {

/// A thread that is blocked for a lock.
class BlockedLockWaiter final : public core::BlockedWaiter {
public:
    explicit BlockedLockWaiter(Deadline patience) noexcept : patience_(patience) {}
    bool wants_grant() const noexcept override { return patience_.is_due(); }

private:
    Deadline patience_;
};

}  // namespace

AsyncLock& AsyncLock::at(SharedArrayBuffer& buffer, std::size_t byte_offset) {
    static_assert(sizeof(AsyncLock) == 4 && std::is_trivially_destructible_v<AsyncLock>);
    detail::check_view(buffer.byte_length(), byte_offset, 1, sizeof(AsyncLock));
    return *std::launder(reinterpret_cast<AsyncLock*>(buffer.data() + byte_offset));
}

/// "The lock is another's", and a mark that somebody is in line then; if it is free it is taken instead. One step under
/// the line's lock, so that nobody can be too late again and again.
core::WaitCheck AsyncLock::held_by_another() noexcept {
    return {&word_, 0, [](void* word, std::uint64_t) noexcept {
                auto& state = *static_cast<detail::Atomic<std::uint32_t>*>(word);
                return (state.fetch_or(held | has_waiters, std::memory_order_acquire) & held) != 0;  // [lock-release]
            }};
}

Deadline AsyncLock::handoff_deadline() const noexcept {
    const std::uint32_t word = word_.load(std::memory_order_relaxed);  // for the bit that never changes
    return (word & strict) != 0 ? Deadline(std::chrono::milliseconds(0)) : Deadline(handoff_threshold);
}

bool AsyncLock::try_lock_contended(std::uint32_t seen) noexcept {
    while ((seen & held) == 0) {
        if (word_.compare_exchange_weak(seen, seen | held, std::memory_order_acquire,  // [lock-release]
                                        std::memory_order_relaxed))                    // another turn
            return true;
    }
    return false;
}

bool AsyncLock::try_lock_spinning() noexcept {
    bool is_locked = false;
    platform::spin_until([&] {
        const std::uint32_t seen = word_.load(std::memory_order_relaxed);  // a look
        is_locked = try_lock_contended(seen);
        return is_locked || ((seen & strict) != 0 && (seen & has_waiters) != 0);  // a strict line is the only way
    });
    return is_locked;
}

void AsyncLock::lock_contended(std::uint32_t seen) noexcept {
    if (try_lock_contended(seen) || try_lock_spinning()) return;

    BlockedLockWaiter turn(handoff_deadline());
    while (turn.enqueue(held_by_another())) {
        turn.park();
        if (turn.is_granted || try_lock_spinning()) return;
    }
}

bool AsyncLock::unlock_contended() noexcept {
    core::WaitTable& table = core::process_table();
    while (true) {
        std::uint32_t seen = word_.load(std::memory_order_relaxed);  // by its owner; decided by what follows
        if ((seen & held) == 0) return false;
        if ((seen & has_waiters) == 0 &&
            word_.compare_exchange_strong(seen, seen & ~held, std::memory_order_release,  // [lock-release]
                                          std::memory_order_relaxed))                     // somebody has joined
            return true;

        core::Waiter* next = table.dequeue_first(&word_);
        if (next == nullptr) {
            // The line was empty, but `has_waiters` is still set. Whoever joins after it is cleared has to set it again, and
            // whoever joined before is found by looking again; all this while the lock is held. [has-waiters]
            word_.fetch_and(~has_waiters, std::memory_order_relaxed);  // ordered by the line's lock
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
    if (next.wants_grant()) {
        next.is_granted = true;  // the word stays as it is: held, by another owner
    } else {
        word_.fetch_and(~held, std::memory_order_release);  // [lock-release]; the last touch, unless for the next owner
    }
    core::WaitTable::deliver(next);
}

AsyncLock::Acquisition::Turn::Turn(Acquisition& acquisition, detail::Continuation continuation)
    : AgentWait(Agent::current()),
      acquisition_(acquisition),
      continuation_(continuation),
      limits_(*this),
      patience_(acquisition.lock_.handoff_deadline()) {
    if (!executor().keeps_timers() && !acquisition.deadline_.is_never())
        throw NoExecutor(
            "futon::AsyncLock::scoped_lock_async: this agent's executor keeps no timers, so there can be no deadline");
}

AsyncLock::Acquisition::Turn::~Turn() {
    limits_.stop();
    if (end()) pass_on();
}

bool AsyncLock::Acquisition::Turn::try_or_enqueue() noexcept {
    if (acquisition_.lock_.try_lock()) return true;
    if (const auto over = detail::already_over(acquisition_.deadline_, acquisition_.stop_)) {
        acquisition_.result_ = *over;
        return true;
    }
    if (!enqueue(acquisition_.lock_.held_by_another())) return true;
    limits_.start(acquisition_.deadline_, acquisition_.stop_);
    return false;
}

void AsyncLock::Acquisition::Turn::on_complete(WaitResult result) noexcept {
    limits_.stop();
    acquisition_.result_ = result;
    const bool must_compete = result == WaitResult::ok && !is_granted;
    if (must_compete && !try_or_enqueue()) return;
    continuation_.resume();
}

void AsyncLock::Acquisition::Turn::on_teardown(bool was_woken) noexcept {
    limits_.stop();
    acquisition_.result_ = WaitResult::cancelled;
    if (was_woken) pass_on();
    continuation_.abandon();
}

void AsyncLock::Acquisition::Turn::pass_on() noexcept {
    AsyncLock& lock = acquisition_.lock_;
    if (is_granted || lock.try_lock()) lock.try_unlock();
}

void AsyncLock::Guard::unlock() {
    if (lock_ == nullptr) throw_not_held("futon::AsyncLock::Guard::unlock: it owns no lock");
    std::exchange(lock_, nullptr)->unlock();
}

}  // namespace futon
