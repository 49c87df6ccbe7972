// SPDX-License-Identifier: MIT
#include <futon/sync/auto_reset_event.hpp>

#include "platform/spin.hpp"

namespace futon {

/// Takes the first waiter in the queue, for the one signal.
class FUTON_LOCAL AutoResetEvent::Handoff final : public core::WakeVisitor {
public:
    explicit Handoff(AutoResetEvent& event) noexcept : event_(event) {}

private:
    Decision decide(const core::Waiter&) noexcept override { return is_taken_ ? Decision::stop : Decision::take; }

    core::WakeToken take(const core::Waiter&) noexcept override {
        is_taken_ = true;
        return core::WakeToken::handed_off;
    }

    /// [last-touch] The one change of the word, before the waiter that was taken is delivered. That waiter need not see
    /// what came before earlier sets, which were remembered and undone; the exchange keeps it for later waiters.
    void finish(bool queue_is_empty) noexcept override {
        std::uint32_t seen = event_.word_.load(std::memory_order_relaxed);  // decided by the exchange
        while (!event_.word_.compare_exchange_weak(seen, next(seen, queue_is_empty),
                                                   std::memory_order_release,     // [signal]
                                                   std::memory_order_relaxed)) {  // tries again
        }
    }

    std::uint32_t next(std::uint32_t word, bool queue_is_empty) const noexcept {
        if (queue_is_empty) word &= ~has_waiters;
        return is_taken_ ? word : word | signalled;
    }

    AutoResetEvent& event_;
    bool is_taken_ = false;
};

void AutoResetEvent::hand_off() noexcept {
    Handoff handoff(*this);
    core::table_for(&word_).wake_while(&word_, handoff);
}

/// Polls the event for as long as that pays before a thread goes to sleep for it. Gives up if a waiter is queued: then
/// the queue is the only way to a signal.
bool AutoResetEvent::try_wait_spinning() noexcept {
    bool is_taken = false;
    platform::spin_yielding_until([&] {
        const std::uint32_t seen = word_.load(std::memory_order_relaxed);  // a poll
        is_taken = (seen & signalled) != 0 && try_wait();
        return is_taken || (seen & has_waiters) != 0;
    });
    return is_taken;
}

/// The check "no signal is remembered". If so, notes that a waiter is queued; else takes the signal. [check]
bool AutoResetEvent::must_wait(void* word, std::uint64_t) noexcept {
    auto& state = *static_cast<detail::Atomic<std::uint32_t>*>(word);
    std::uint32_t seen = state.load(std::memory_order_relaxed);  // decided by the exchange
    while (true) {
        const bool is_signalled = (seen & signalled) != 0;
        if (state.compare_exchange_weak(seen, is_signalled ? 0 : has_waiters, std::memory_order_acquire,  // [signal]
                                        std::memory_order_relaxed)) {                                     // tries again
            return !is_signalled;
        }
    }
}

template WaitResult detail::WaysToWait<AutoResetEvent>::block(const Limits&);

}  // namespace futon
