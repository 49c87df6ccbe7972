// SPDX-License-Identifier: MIT
#include <futon/sync/barrier.hpp>

#include <stdexcept>

#include <futon/core/driver/block.hpp>

#include "platform/spin.hpp"
#include "sync/releasing.hpp"

namespace futon {

namespace {

std::uint64_t require_participants(std::uint64_t participants) {
    if (participants == 0) throw std::invalid_argument("futon::Barrier: there are no participants");
    if (participants > BarrierBase::max())
        throw std::invalid_argument("futon::Barrier: there are too many participants; see futon::Barrier::max");
    return participants;
}

}  // namespace

BarrierBase::BarrierBase(std::uint64_t participants)
    : word_(require_participants(participants) * (one_left + one_expected)) {}

/// No other thread changes the word meanwhile: no arrival is missing, and waiters are noted only under the queue's
/// lock.
void BarrierBase::release_all() noexcept {
    detail::release_all(&word_, core::WakeToken::handed_off, [this]() noexcept {
        const std::uint64_t seen = word_.load(std::memory_order_relaxed);  // as said above
        word_.store(next_phase(seen), std::memory_order_release);          // [signal]
    });
}

/// Polls the phase for as long as that pays before a thread goes to sleep for its end.
bool BarrierBase::try_wait_spinning(Arrival arrival) const noexcept {
    return platform::spin_yielding_until([&] { return try_wait(arrival); });
}

/// The check "the phase goes on". If so, notes that a waiter is queued. [check]
bool BarrierBase::must_wait(void* word, std::uint64_t phase) noexcept {
    auto& state = *static_cast<detail::Atomic<std::uint64_t>*>(word);
    std::uint64_t seen = state.load(std::memory_order_acquire);  // [signal]
    while (phase_of(seen) == phase)
        if (state.compare_exchange_weak(seen, seen | has_waiters, std::memory_order_acquire))  // [signal]
            return true;
    return false;
}

void BarrierBase::throw_not_expected(std::uint64_t arrivals) {
    throw std::logic_error(arrivals == 0 ? "futon::Barrier::arrive: no arrival is to be counted; there is at least one"
                                         : "futon::Barrier: more arrivals than the phase lacks");
}

WaitResult BarrierBase::wait(Arrival arrival) {
    return core::block(waiting(arrival));
}
WaitResult BarrierBase::wait(Arrival arrival, const Limits& limits) {
    return core::block(waiting(arrival), limits);
}

}  // namespace futon
