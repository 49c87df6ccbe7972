// SPDX-License-Identifier: MIT
#include <futon/sync/shared_lock.hpp>

#include <system_error>

#include <futon/core/block.hpp>

#include "platform/race_detector.hpp"
#include "platform/spin.hpp"

namespace futon {

using detail::Arbiter;

namespace {

template <class Op>
WaitResult block_for_guard(Op op, Deadline deadline, const std::stop_token& stop) {
    auto guard = core::block(std::move(op), deadline, stop);
    guard.release();
    return guard.result();
}

}  // namespace

WaitResult SharedLock::lock_contended(Deadline deadline, const std::stop_token& stop) {
    return block_for_guard(locking(), deadline, stop);
}

WaitResult SharedLock::lock_shared_contended(Deadline deadline, const std::stop_token& stop) {
    return block_for_guard(locking_shared(), deadline, stop);
}

WaitResult SharedLock::lock_upgradeable_contended(Deadline deadline, const std::stop_token& stop) {
    return block_for_guard(locking_upgradeable(), deadline, stop);
}

WaitResult SharedLock::upgrade(TimeLimit limit, const std::stop_token& stop) {
    require_can_block(Upgrading::name);
    return core::block(upgrading(), limit, stop);
}

SharedLock::Guard SharedLock::UpgradeableGuard::upgrade(TimeLimit limit, const std::stop_token& stop) {
    require_can_block(Upgrading::name);
    return core::block(upgrading(), limit, stop);
}

bool SharedLock::try_upgrade() {
    word_.require_upgradeable("futon::SharedLock::try_upgrade");
    return Upgrading(*this).try_now();
}

void SharedLock::downgrade() {
    if (!word_.release_contended(Word::to_shared, Word::exclusive))
        throw_not_held("futon::SharedLock::downgrade: the lock is not held exclusively");
}

void SharedLock::downgrade_to_upgradeable() {
    if (!word_.release_contended(Word::to_upgradeable, Word::exclusive))
        throw_not_held("futon::SharedLock::downgrade_to_upgradeable: the lock is not held exclusively");
}

/// There is room for it, as a reader. [room]
void SharedLock::downgrade_upgradeable() {
    if (!word_.release_contended(Word::from_upgradeable, Word::upgradeable))
        throw_not_held("futon::SharedLock::downgrade_upgradeable: the lock is not held upgradeable");
}

bool SharedLock::UpgradeRequest::try_now() noexcept {
    Arbiter::Word& word = this->word();
    Arbiter::Bits seen = word.load();
    while ((seen & (Word::readers | Word::upgradeable)) == Word::upgradeable) {
        const Arbiter::Bits next = Arbiter::without_offer(Arbiter::with_state(seen, Word::exclusive));
        if (!word.compare_exchange_weak(seen, next)) continue;
        platform::note_acquire(&word);
        keeps_readers_out_ = false;
        return true;
    }
    return false;
}

bool SharedLock::UpgradeRequest::try_spinning() noexcept {
    return platform::spin_until([&] { return try_now(); });
}

core::WaitCheck SharedLock::UpgradeRequest::check() noexcept {
    return {const_cast<void*>(key()), reinterpret_cast<std::uintptr_t>(this), &UpgradeRequest::must_wait};
}

/// Takes, or keeps new readers out: one step under the queue's lock. [upgrading]
///
/// It is refused where there is nothing to wait for: the caller's holding ended after the operation was made, or another
/// operation was made of it, which is waiting or has upgraded it.
bool SharedLock::UpgradeRequest::must_wait(void*, std::uint64_t request) noexcept {
    auto& self = *reinterpret_cast<UpgradeRequest*>(static_cast<std::uintptr_t>(request));
    Arbiter::Word& word = self.word();
    while (!self.try_now()) {
        Arbiter::Bits seen = word.load();
        const bool is_of_another = (seen & Word::upgrading) != 0 && !self.keeps_readers_out_;
        if ((seen & Word::upgradeable) == 0 || is_of_another) {
            self.is_refused_ = true;
            return false;
        }
        if ((seen & Word::readers) == 0) continue;
        const Arbiter::Bits next = Arbiter::without_offer(seen) | Word::upgrading;
        if (!word.compare_exchange_weak(seen, next)) continue;
        self.keeps_readers_out_ = true;
        return true;
    }
    return false;
}

bool SharedLock::UpgradeRequest::woken(core::WakeToken token) noexcept {
    if (token != core::WakeToken::handed_off) return false;  // what was offered is taken by the try that follows
    platform::note_acquire(&word());
    keeps_readers_out_ = false;
    return true;
}

void SharedLock::UpgradeRequest::give_back(core::WakeToken token) noexcept {
    if (token == core::WakeToken::handed_off && !is_refused_) {
        Arbiter::release(word(), Word::rules, Word::to_upgradeable);
    } else {
        give_up();
    }
}

void SharedLock::UpgradeRequest::left() noexcept {
    give_up();
}

/// The holding stays upgradeable, and readers go on. An offer that is open is this one's: it has revoked all others.
void SharedLock::UpgradeRequest::give_up() noexcept {
    if (!keeps_readers_out_) return;
    keeps_readers_out_ = false;
    Arbiter::Word& word = this->word();
    Arbiter::Bits seen = word.load();
    while (!word.compare_exchange_weak(seen, Arbiter::without_offer(seen & ~Arbiter::Bits{Word::upgrading}))) {
    }
    Arbiter::pass(word, Word::rules);
}

/// What it has set in the word is undone: its holding may have ended while it waited.
void SharedLock::UpgradeRequest::throw_refused() {
    give_up();
    Word::throw_not_held("futon::SharedLock::upgrade: the lock is not held upgradeable, or another upgrade waits");
}

}  // namespace futon
