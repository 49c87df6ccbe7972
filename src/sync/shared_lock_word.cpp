// SPDX-License-Identifier: MIT
#include <futon/sync/shared_lock_word.hpp>

#include <string>
#include <system_error>

#include <futon/core/wait_table.hpp>

namespace futon::detail {

namespace {

/// How many are readers, or may become one without waiting. [room]
constexpr Arbiter::State reserved(Arbiter::State state) noexcept {
    return (state & SharedLockWord::readers) + ((state & SharedLockWord::upgradeable) != 0 ? 1 : 0);
}

}  // namespace

const Arbiter::Rules SharedLockWord::rules = {
    .can_serve =
        [](State state, std::uint64_t mode) noexcept {
            if (mode == exclusive_mode) return state == 0;
            if ((state & (exclusive | upgrading)) != 0) return false;
            return reserved(state) != readers && (mode == shared_mode || (state & upgradeable) == 0);
        },
    .taken = [](State state, std::uint64_t mode) noexcept -> State {
        if (mode == shared_mode) return state + one_reader;
        return state | (mode == exclusive_mode ? exclusive : upgradeable);
    },
    .returned = [](State state, std::uint64_t mode) noexcept -> State {
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
            default:
                return state & ~exclusive;
        }
    },
    .may_serve = [](State state) noexcept { return (state & (exclusive | upgrading)) == 0; },
    // Where a reader leaves others behind, those who wait do so for them, or for the upgradeable holder: the first in the
    // queue cannot be served by that. But there may be room again. [room]
    .may_serve_more =
        [](State state, std::uint64_t mode) noexcept {
            return mode != shared_mode || state == 0 || reserved(state) == readers - 1;
        },
    .has_released = &SharedLockWord::has_released,
};

bool SharedLockWord::try_contended(Mode mode) noexcept {
    if (!Arbiter::try_take(word_, rules, mode)) return false;
    core::probe::acquired(this);
    return true;
}

bool SharedLockWord::release_contended(Mode mode, State held) noexcept {
    if ((word_.load() & held) == 0) return false;
    Arbiter::release(word_, rules, mode);
    return true;
}

/// [upgrading] The last reader has left. [last-touch] The upgrade may have ended meanwhile, and the lock with it.
void SharedLockWord::has_released(Arbiter::Word& word, State state) noexcept {
    if ((state & (readers | upgrading)) == upgrading) serve_upgrade(word);
}

/// Hands off to a thread, and offers to a task: for the threshold, and under the eyes of a waiter that can go on after it.
///
/// The waiter that is dequeued here keeps the lock until it is delivered. [last-touch] If the queue is empty, the upgrade has
/// come to its end in vain, and clears `upgrading` itself.
void SharedLockWord::serve_upgrade(Arbiter::Word& word) noexcept {
    const void* key = upgrade_key(word);
    core::Waiter* waiter = core::table_for(key).dequeue_first(key);
    if (waiter == nullptr) return;
    constexpr State parts = readers | upgrading | upgradeable;
    const bool is_thread = waiter->describe().kind == core::WaiterDescription::Kind::thread;
    core::WakeToken token = core::WakeToken::none;  // it tries again, if it is another upgrade than that of the release
    Bits seen = word.load();
    while ((Arbiter::state_of(seen) & parts) == (upgrading | upgradeable)) {
        const Bits next = is_thread ? Arbiter::with_state(seen, exclusive)
                                    : Arbiter::with_offer(Arbiter::with_state(seen, upgradeable));
        if (!word.compare_exchange_weak(seen, next)) continue;
        core::probe::handing_off(&word, *waiter);
        token = is_thread ? core::WakeToken::handed_off : Arbiter::token_of(next);
        if (!is_thread) Arbiter::pass(word, rules);  // wakes a waiter that watches the offer
        break;
    }
    core::WaitTable::deliver(*waiter, token);
}

void SharedLockWord::require_room() const {
    // Where it comes too late, readers wait.
    const State state = Arbiter::state_of(word_.load(std::memory_order_relaxed));  // a hint
    if (reserved(state) == readers)
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again),
                                "futon::SharedLock: the lock is held shared too often");
}

void SharedLockWord::require_upgradeable(const char* operation) const {
    const State state = Arbiter::state_of(word_.load(std::memory_order_relaxed));  // of the caller's own holding
    if ((state & upgradeable) == 0)
        throw_not_held((std::string(operation) + ": the lock is not held upgradeable").c_str());
    if ((state & upgrading) != 0) throw_not_held((std::string(operation) + ": an upgrade waits already").c_str());
}

void SharedLockWord::throw_not_held(const char* what) {
    throw std::system_error(std::make_error_code(std::errc::operation_not_permitted), what);
}

}  // namespace futon::detail
