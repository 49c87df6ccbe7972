// SPDX-License-Identifier: MIT
#include <futon/sync/latch.hpp>

#include <stdexcept>

#include "platform/race_detector.hpp"
#include "platform/spin.hpp"

namespace futon {

/// Takes all queued waiters, for the count down that opens the latch; none if another thread has counted since.
class FUTON_LOCAL Latch::Opening final : public core::WakeVisitor {
public:
    Opening(Latch& latch, std::uint32_t n) noexcept : latch_(latch), n_(n) {}

    /// Whether the count was still the one that the caller had seen.
    bool is_exact() const noexcept { return is_exact_; }

private:
    /// While waiters are queued, the count becomes zero only under the queue's lock.
    Decision decide(const core::Waiter&) noexcept override {
        if (!is_open_) is_open_ = latch_.word_.load(std::memory_order_relaxed) / one == n_;  // under the queue's lock
        return is_open_ ? Decision::take : Decision::stop;
    }
    core::WakeToken take(const core::Waiter&) noexcept override { return core::WakeToken::handed_off; }
    bool may_pause() noexcept override { return true; }

    /// [last-touch] The one change of the word. The acquire is for what came before the other count downs: this thread
    /// delivers the taken waiters after it.
    void finish(bool) noexcept override {
        std::uint32_t seen = latch_.word_.load(std::memory_order_relaxed);  // decided by the exchange
        do {
            is_exact_ = seen / one == n_;
            if (!is_exact_ && !is_open_) return;
        } while (!platform::told(latch_.word_)
                      .compare_exchange_weak(seen, 0, std::memory_order_acq_rel,  // [signal]
                                             std::memory_order_relaxed));         // tries again
    }

    Latch& latch_;
    const std::uint32_t n_;
    bool is_open_ = false;  // waiters were released
    bool is_exact_ = false;
};

void Latch::open(std::uint32_t n) {
    Opening opening(*this, n);
    core::table_for(&word_).wake_while(&word_, opening);
    if (!opening.is_exact()) throw_below_zero();
}

/// Polls the latch for as long as that pays before a thread goes to sleep for it.
bool Latch::try_wait_spinning() const noexcept {
    return platform::spin_yielding_until([this] { return try_wait(); });
}

/// The check "it is not open". If so, notes that a waiter is queued. [check]
bool Latch::must_wait(void* word, std::uint64_t) noexcept {
    auto& state = *static_cast<detail::Atomic<std::uint32_t>*>(word);
    std::uint32_t seen = state.load(std::memory_order_acquire);  // [signal]
    while (seen != 0)
        if (state.compare_exchange_weak(seen, seen | has_waiters, std::memory_order_acquire))  // [signal]
            return true;
    return false;
}

void Latch::throw_below_zero() {
    throw std::logic_error("futon::Latch: counted down by more than was left");
}

void Latch::throw_too_large() {
    throw std::invalid_argument("futon::Latch: the count is too large; see futon::Latch::max");
}

template WaitResult detail::WaysToWait<Latch>::block(const Limits&);

}  // namespace futon
