// SPDX-License-Identifier: MIT
#include <futon/sync/event.hpp>

#include "platform/race_detector.hpp"
#include "platform/spin.hpp"

namespace futon {

/// Takes all that are queued: each was enqueued before the event was set.
class FUTON_LOCAL Event::Releasing final : public core::WakeVisitor {
public:
    explicit Releasing(Event& event) noexcept : event_(event) {}

private:
    Decision decide(const core::Waiter&) noexcept override { return Decision::take; }
    core::WakeToken take(const core::Waiter&) noexcept override { return core::WakeToken::handed_off; }

    /// The queue is empty. [last-touch] The one change of the word. No other thread changes it meanwhile: all of them need the
    /// queue's lock, but for a reset, which finds nothing to clear.
    void finish(bool) noexcept override {
        platform::note_release(&event_.word_);
        event_.word_.exchange(signalled, std::memory_order_release);  // [signal]
    }

    Event& event_;
};

void Event::release_all() noexcept {
    Releasing releasing(*this);
    core::table_for(&word_).wake_while(&word_, releasing);
}

/// Polls the event for as long as that pays before a thread goes to sleep for it.
bool Event::is_set_spinning() const noexcept {
    if (!platform::spin_yielding_until([this] { return is_set(); })) return false;
    platform::note_acquire(&word_);
    return true;
}

/// "It is not set", and a note that a waiter is queued then. [check]
bool Event::must_wait(void* word, std::uint64_t) noexcept {
    auto& state = *static_cast<detail::Atomic<std::uint32_t>*>(word);
    std::uint32_t seen = state.load(std::memory_order_acquire);  // [signal]
    while ((seen & signalled) == 0)
        if (state.compare_exchange_weak(seen, has_waiters, std::memory_order_acquire))  // [signal]
            return true;
    platform::note_acquire(&state);
    return false;
}

template WaitResult detail::WaysToWait<Event>::block(TimeLimit, const std::stop_token&);

}  // namespace futon
