// SPDX-License-Identifier: MIT
#include "platform/mutex.hpp"

#include <chrono>

#include "platform/address_wait.hpp"
#include "platform/clock.hpp"
#include "platform/spin.hpp"

namespace futon::platform {

namespace {

/// How long a thread sleeps at most whose mark unlocks may miss, because the system has no fence for it.
constexpr std::chrono::milliseconds longest_unfenced_sleep{1};

}  // namespace

/// A thread that was woken spins again before it sleeps again: who works in parts, and releases the mutex only shortly between them,
/// is mostly faster than it.
void Mutex::lock_contended() noexcept {
    const auto is_taken = [this] {
        return held_.load(std::memory_order_relaxed) == 0 && try_lock();  // a poll, decided by the exchange
    };
    if (spin_until(is_taken)) return;
    bool is_fenced = true;
    do {
        if (mark()) is_fenced = AsymmetricFence::heavy();
        if (held_.load(std::memory_order_relaxed) == 0) continue;  // ordered by [sleepers]
        if (is_fenced)
            AddressWait::wait(may_sleep_, 1);
        else
            AddressWait::wait_until(may_sleep_, 1, now() + longest_unfenced_sleep);
    } while (!spin_until(is_taken) && !try_lock());
    mark();  // the unlock that woke this thread has removed the mark, and others may be asleep
}

/// Makes the mark. Returns false if it was there.
///
/// [sleepers] The thread that makes it answers for all that sleep by it. After its fence it finds the mutex free, and takes it; or the
/// unlock of the thread that holds it finds the mark, unless another unlock has removed that and wakes a thread.
bool Mutex::mark() noexcept {
    std::uint32_t seen = 0;
    return may_sleep_.compare_exchange_strong(seen, 1, std::memory_order_relaxed);  // ordered by [sleepers]
}

/// The mark goes first. So who has not fallen asleep does not; and the woken thread looks after the others.
void Mutex::wake_one() noexcept {
    may_sleep_.store(0, std::memory_order_relaxed);  // the system orders it before the wake
    AddressWait::wake_one(may_sleep_);
}

}  // namespace futon::platform
