// SPDX-License-Identifier: MIT
#include <futon/sync/shared_lock.hpp>

#include <system_error>
#include <utility>

#include <futon/core/driver/block.hpp>

#include "base/error.hpp"
#include "platform/spin.hpp"

namespace futon {

namespace {

// How often a writer polls before it asks readers to wait: those with very short holds let it in sooner than that takes.
constexpr int patient_polls = detail::ReaderLimits::is_automatic ? 2 : 0;  // in the model a thread polls once

template <class Op>
WaitResult block_for_guard(Op op, const Limits& limits) {
    auto guard = core::block(std::move(op), limits);
    guard.release();
    return guard.result();
}

}  // namespace

WaitResult SharedLock::lock_contended(const Limits& limits) {
    if (word_.take_past_queue(Word::exclusive_mode)) return WaitResult::ok;
    return block_for_guard(locking(), limits);
}

WaitResult SharedLock::lock_shared_contended(const Limits& limits) {
    word_.let_writer_in();
    if (word_.take_past_queue(Word::shared_mode)) return WaitResult::ok;
    return block_for_guard(locking_shared(), limits);
}

WaitResult SharedLock::lock_upgradeable_contended(const Limits& limits) {
    if (word_.take_past_queue(Word::upgradeable_mode)) return WaitResult::ok;
    return block_for_guard(locking_upgradeable(), limits);
}

WaitResult SharedLock::upgrade(const Limits& limits) {
    detail::require_can_block(Upgrading::name);
    return core::block(upgrading(), limits);
}

SharedLock::Guard SharedLock::UpgradeableGuard::upgrade(const Limits& limits) {
    detail::require_can_block(Upgrading::name);
    return core::block(upgrading(), limits);
}

void SharedLock::throw_agent_ended(const char* what) {
    detail::throw_error(std::errc::operation_canceled, what, "the agent ended before the lock was free");
}

bool SharedLock::try_upgrade() {
    word_.require_upgradeable("futon::SharedLock::try_upgrade");
    return Upgrading(*this).try_now();
}

void SharedLock::downgrade() {
    if (!word_.release_contended(Word::to_shared, Word::exclusive))
        Word::throw_not_held("futon::SharedLock::downgrade: the lock is not held exclusively");
}

void SharedLock::downgrade_to_upgradeable() {
    if (!word_.release_contended(Word::to_upgradeable, Word::exclusive))
        Word::throw_not_held("futon::SharedLock::downgrade_to_upgradeable: the lock is not held exclusively");
}

/// There is room for it as a reader. [room]
void SharedLock::downgrade_upgradeable() {
    if (!word_.release_contended(Word::from_upgradeable, Word::upgradeable))
        Word::throw_not_held("futon::SharedLock::downgrade_upgradeable: the lock is not held upgradeable");
}

/// Like any reader that leaves: an upgrade may wait for this one. [upgrading]
void SharedLock::LockingShared::give_back(core::WakeToken token) noexcept {
    if (must_release(token)) lock_.word_.release_contended(Word::shared_mode, Word::readers);
}

/// Readers in slots are counted first. [slots]
bool SharedLock::Locking::try_now() noexcept {
    lock_.word_.revoke_slots_for(Word::exclusive_mode);
    return Request::try_now();
}

/// Where readers come at all times, a poll seldom finds the lock without any: so it asks new ones to wait.
bool SharedLock::Locking::try_spinning() noexcept {
    bool is_done = false;
    int polls = 0;
    const auto poll = [&] {
        const Word::Poll seen = lock_.word_.poll_for_writer(++polls > patient_polls);
        is_done = seen.is_free && Request::try_now();
        return platform::polled(is_done, seen.is_ordered);
    };
    platform::spin_until_replaced(key(), poll, [this] { return is_replaced(); });
    if (!is_done) lock_.word_.end_awaiting();
    return is_done;
}

/// A check cannot revoke, for it runs under the queue's lock. [slots]
void SharedLock::Locking::queued() noexcept {
    Request::queued();
    lock_.word_.revoke_slots();
}

bool SharedLock::LockingShared::try_now() noexcept {
    lock_.word_.revoke_slots_for(Word::shared_mode);
    return Request::try_now();
}

bool SharedLock::UpgradeRequest::try_now() noexcept {
    word().revoke_slots();
    if (!word().try_upgrade()) return false;
    keeps_readers_out_ = false;
    return true;
}

bool SharedLock::UpgradeRequest::try_spinning() noexcept {
    return platform::spin_until([&] { return try_now(); });
}

core::WaitCheck SharedLock::UpgradeRequest::check() noexcept {
    return {const_cast<void*>(key()), reinterpret_cast<std::uintptr_t>(this), &UpgradeRequest::must_wait,
            core::FoundBy::note};
}

bool SharedLock::UpgradeRequest::must_wait(void*, std::uint64_t request) noexcept {
    auto& self = *reinterpret_cast<UpgradeRequest*>(static_cast<std::uintptr_t>(request));
    const Word::Asked asked = self.word().ask_upgrade(self.keeps_readers_out_);
    if (asked == Word::Asked::refused)
        self.is_refused_ = true;
    else
        self.keeps_readers_out_ = asked == Word::Asked::waits;
    return asked == Word::Asked::waits;
}

bool SharedLock::UpgradeRequest::woken(core::WakeToken token) noexcept {
    if (token != core::WakeToken::handed_off) return false;  // the try that follows takes an offer
    keeps_readers_out_ = false;
    return true;
}

void SharedLock::UpgradeRequest::give_back(core::WakeToken token) noexcept {
    if (token == core::WakeToken::handed_off && !is_refused_) {
        word().give_back(Word::to_upgradeable);
    } else {
        give_up();
    }
}

/// As for a writer. [slots]
void SharedLock::UpgradeRequest::queued() noexcept {
    word().revoke_slots();
}

void SharedLock::UpgradeRequest::left() noexcept {
    give_up();
}

/// The holding stays upgradeable, and readers go on.
void SharedLock::UpgradeRequest::give_up() noexcept {
    if (std::exchange(keeps_readers_out_, false)) word().give_up_upgrade();
}

/// Clears the bit that it has set in the word: its holding may have ended while it waited.
void SharedLock::UpgradeRequest::throw_refused() {
    give_up();
    Word::throw_not_held("futon::SharedLock::upgrade: the lock is not held upgradeable, or another upgrade waits");
}

}  // namespace futon
