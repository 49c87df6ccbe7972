// SPDX-License-Identifier: MIT
#include <futon/detail/sync/shared_lock_word.hpp>

#include <string>
#include <system_error>

#include <futon/core/queue/wait_table.hpp>

#include "base/error.hpp"
#include "platform/race_detector.hpp"
#include "platform/spin.hpp"

namespace futon::detail {

namespace {

using State = SharedLockState;

/// How many holders are readers, or may become readers without waiting. [room]
constexpr core::ResourceState reserved(core::ResourceState state) noexcept {
    return (state & State::readers) + ((state & State::upgradeable) != 0 ? 1 : 0) +
           ((state & State::in_slots) != 0 ? State::most_in_slots : 0);
}

/// Revokers hold nothing: they may come to their end late. Nor does a writer that spins.
constexpr bool is_free(core::ResourceState state) noexcept {
    return (state & ~(State::revokers | State::awaited)) == 0;
}

}  // namespace

constinit const core::ArbiterBase<std::uint64_t>::Rules SharedLockRules::lasting =
    core::Arbiter<SharedLockRules>::own_rules;

bool SharedLockRules::can_serve(State state, std::uint64_t mode) noexcept {
    if (mode == exclusive_mode) return is_free(state);
    if ((state & (exclusive | upgrading)) != 0) return false;
    return reserved(state) < readers && (mode == shared_mode || (state & upgradeable) == 0);
}

core::ResourceState SharedLockRules::taken(State state, std::uint64_t mode) noexcept {
    if (mode == shared_mode) return state + one_reader;
    return mode == exclusive_mode ? (state & ~awaited) | exclusive : state | upgradeable;
}

core::ResourceState SharedLockRules::returned(State state, std::uint64_t mode) noexcept {
    switch (mode) {
        case shared_mode:
            return state - one_reader;
        case upgradeable_mode:
            return state & ~upgradeable;
        case to_shared:
            return (state & ~exclusive) + one_reader;
        case to_upgradeable:
            return (state & ~exclusive) | upgradeable;
        case from_upgradeable:
            return (state & ~upgradeable) + one_reader;
        case from_slots:
            return (state & ~revoking) - one_revoker;
        default:
            return state & ~exclusive;
    }
}

bool SharedLockRules::may_serve(State state) noexcept {
    return (state & (exclusive | upgrading)) == 0;
}

bool SharedLockWord::take_past_queue(Mode mode, Way way) noexcept {
    if (!take_in_one_step(word_.load(), mode)) return false;
    platform::note_acquire(&word_);
    core::probe::acquired(this, hold_of(mode), 1, way);
    return true;
}

bool SharedLockWord::try_contended(Mode mode) noexcept {
    if (take_past_queue(mode, Way::tried)) return true;
    revoke_slots_for(mode);
    if (!take_contended(rules, mode)) return false;
    core::probe::acquired(this, hold_of(mode), 1, Way::tried);
    return true;
}

bool SharedLockWord::release_contended(Mode mode, State held, core::Handoff handoff) noexcept {
    if (mode == shared_mode) {
        // A waiter that is to be handed the lock to is served once all readers are counted.
        if (handoff == core::Handoff::now && (word_.load() & has_waiters) != 0) revoke_slots();
        return give_slot() || release_reader(mode, handoff);
    }
    Bits seen = word_.load();
    if ((seen & held) == 0) return false;
    platform::note_release(&word_);
    if (handoff == core::Handoff::when_due && give_back_in_one_step(seen, mode)) return true;
    Arbiter::release_contended(rules, mode, ~core::ResourceState{0}, handoff);
    return true;
}

/// If a reader leaves other readers behind, the waiters wait for these, or for the upgradeable holder. The release
/// cannot serve the first in the queue, so it does not ask the queue, unless a thread that was woken is late. But there
/// may be room again [room], or an upgrade may have waited for this reader [upgrading]. [last-touch] Once no reader is
/// left, the upgrade may end, and the lock with it. A revoker that ends leaves as a reader does.
///
/// [slots] If this reader is not counted, another thread's slot holds it: then all are counted first.
// NOLINTNEXTLINE(misc-no-recursion): as revoke_slots
bool SharedLockWord::release_reader(Mode mode, core::Handoff handoff) noexcept {
    platform::note_release(&word_);
    Bits seen = word_.load();
    State state = 0;
    while (true) {
        if (mode == shared_mode && (seen & readers) == 0) {
            if ((seen & in_slots) == 0) return false;
            revoke_slots();
            seen = word_.load();
            continue;
        }
        const State before = state_of(seen);
        state = SharedLockRules::returned(before, mode);
        Bits next = with_state(seen, state);
        bool is_counted = false;
        // Beside a woken thread each release counts: it may be late. [woken] All readers are counted then.
        const bool is_relied_on = relies_on_woken(seen) && (seen & in_slots) == 0;
        if (is_free(state) || is_relied_on || (reserved(state) < readers && reserved(before) >= readers)) {
            if (handoff == core::Handoff::now || !release_relies_on_woken(seen)) {
                state = *Arbiter::release_contended(rules, mode, ~core::ResourceState{0}, handoff);
                break;
            }
            next += release_unit;
            is_counted = true;
        }
        if (!word_.compare_exchange_weak(seen, next)) continue;
        if (is_counted) ++detail::release_notes().releases;
        break;
    }
    if ((state & (readers | in_slots | upgrading)) == upgrading) serve_upgrade();
    return true;
}

/// Hands off to a thread, or offers to a task for as long as its loop takes.
///
/// The waiter that is dequeued here keeps the lock alive until it is delivered. [last-touch] If the queue is empty, the
/// upgrade has given up, and clears `upgrading` itself.
void SharedLockWord::serve_upgrade() noexcept {
    const void* key = upgrade_key();
    core::Waiter* waiter = core::table_for(key).dequeue_first(key);
    if (waiter == nullptr) return;
    // A thread that is handed the lock acquires at the key, as with any operation, what each reader has released in the word.
    platform::note_acquire(&word_);
    platform::note_release(key);
    constexpr State parts = readers | in_slots | upgrading | upgradeable;
    const bool is_thread = waiter->owner().caller == core::Caller::thread;
    core::WakeToken token = core::WakeToken::none;  // it tries again, if it is not the upgrade that the release saw
    Bits seen = word_.load();
    while ((state_of(seen) & parts) == (upgrading | upgradeable)) {
        const Bits next = is_thread ? upgraded(seen) : with_offer(seen & ~Bits{upgrading}, *waiter);
        if (!word_.compare_exchange_weak(seen, next)) continue;
        core::probe::handing_off(&word_, *waiter);
        token = is_thread ? core::WakeToken::handed_off : offer_in(next);
        if (!is_thread) keep_offer(rules);
        break;
    }
    core::WaitTable::deliver(*waiter, token);
}

SharedLockWord::Poll SharedLockWord::poll_for_writer(bool asks_readers) noexcept {
    Bits seen = word_.load();
    constexpr Bits others = upgradeable | upgrading | awaited;
    while (asks_readers && !must_queue(seen) && (seen & readers) != 0 && (seen & others) == 0)
        if (word_.compare_exchange_weak(seen, seen | awaited)) break;
    return {is_free(state_of(seen)), must_queue(seen)};
}

void SharedLockWord::end_awaiting() noexcept {
    if ((word_.load() & awaited) != 0) word_.fetch_and(~Bits{awaited});
}

/// The writer may have lost its processor, or be left behind by a fork: then no other reader is to spin. One that is there asks
/// again at its next poll.
void SharedLockWord::let_writer_in() noexcept {
    const auto is_over = [this] { return (word_.load(std::memory_order_relaxed) & awaited) == 0; };  // a hint
    if (!is_over() && !platform::spin_until(is_over)) end_awaiting();
}

bool SharedLockWord::try_upgrade() noexcept {
    Bits seen = word_.load();
    while ((seen & (readers | in_slots | upgradeable)) == upgradeable) {
        if (!word_.compare_exchange_weak(seen, without_offer(upgraded(seen)))) continue;
        platform::note_acquire(&word_);
        return true;
    }
    return false;
}

/// It is refused if there is nothing to wait for: the caller's holding ended after the operation was made, or another
/// operation of the same holding is waiting or has upgraded it.
SharedLockWord::Asked SharedLockWord::ask_upgrade(bool is_asked) noexcept {
    while (!try_upgrade()) {
        Bits seen = word_.load();
        const bool is_of_another = (seen & upgrading) != 0 && !is_asked;
        if ((seen & upgradeable) == 0 || is_of_another) return Asked::refused;
        if ((seen & (readers | in_slots)) == 0) continue;
        if (word_.compare_exchange_weak(seen, without_offer(seen) | upgrading)) return Asked::waits;
    }
    return Asked::upgraded;
}

/// An open offer is this upgrade's: it has revoked all others.
void SharedLockWord::give_up_upgrade() noexcept {
    Bits seen = word_.load();
    while (!word_.compare_exchange_weak(seen, without_offer(seen & ~Bits{upgrading}))) {
    }
    pass(rules);
}

void SharedLockWord::require_room() {
    // If it comes too late, readers wait.
    revoke_slots_for(shared_mode);
    if (reserved(state()) >= readers)
        detail::throw_error(std::errc::resource_unavailable_try_again,
                            "futon::SharedLock: the lock is held shared too often");
}

void SharedLockWord::require_upgradeable(const char* operation) const {
    const State held = state();  // of the caller's own holding
    if ((held & upgradeable) == 0)
        throw_not_held((std::string(operation) + ": the lock is not held upgradeable").c_str());
    if ((held & upgrading) != 0) throw_not_held((std::string(operation) + ": an upgrade waits already").c_str());
}

void SharedLockWord::throw_not_held(const char* what) {
    detail::throw_error(std::errc::operation_not_permitted, what);
}

}  // namespace futon::detail
