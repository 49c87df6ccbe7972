// SPDX-License-Identifier: MIT
#include <futon/sync/event.hpp>

#include "platform/spin.hpp"
#include "sync/releasing.hpp"

namespace futon {

/// No other thread changes the word meanwhile, except a reset, which finds nothing to clear, and another set.
void Event::release_all() noexcept {
    detail::release_all(&word_, core::WakeToken::handed_off, [this]() noexcept {
        word_.exchange(signalled, std::memory_order_release);  // [signal]
    });
}

/// Polls the event for as long as that pays before a thread goes to sleep for it.
bool Event::is_set_spinning() const noexcept {
    return platform::spin_yielding_until([this] { return is_set(); });
}

/// The check "it is not set". If so, notes that a waiter is queued. [check]
bool Event::must_wait(void* word, std::uint64_t) noexcept {
    auto& state = *static_cast<detail::Atomic<std::uint32_t>*>(word);
    std::uint32_t seen = state.load(std::memory_order_acquire);  // [signal]
    while ((seen & signalled) == 0)
        if (state.compare_exchange_weak(seen, has_waiters, std::memory_order_acquire))  // [signal]
            return true;
    return false;
}

template WaitResult detail::WaysToWait<Event>::block(const Limits&);

}  // namespace futon
