// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>

#include <futon/core/atomic.hpp>
#include <futon/core/operation.hpp>
#include <futon/core/wait_table.hpp>

namespace example {

namespace core = futon::core;

/// A counting semaphore: first come, first served, however many permits a waiter asks for. A small request does not overtake
/// a big one. All zero bytes are a semaphore without permits.
///
/// The word counts permits in its upper bits; its lowest bit says that waiters may be queued. The bit is set and cleared
/// under the queue's lock. While it is set, permits are taken under that lock only.
///
/// Requires  it outlives what acquires from it: calls, coroutines and promises.
class FairSemaphore {
public:
    class Acquire;

    /// Permits that are released at the end of their scope; null where the deadline or the stop came first.
    struct Release {
        std::uint32_t count = 0;
        void operator()(FairSemaphore* semaphore) const noexcept { semaphore->release(count); }
    };
    using Permits = std::unique_ptr<FairSemaphore, Release>;

    explicit FairSemaphore(std::uint32_t permits = 0) noexcept : word_(permits * one) {}

    /// The operation that acquires `count` permits: for `core::block`, `core::await`, `core::promise_of` and `select`.
    Acquire acquiring(std::uint32_t count = 1) noexcept;

    /// Any agent. Wakes as many waiters as the permits allow.
    void release(std::uint32_t count = 1) noexcept {
        if ((word_.fetch_add(count * one) & has_waiters) != 0) wake();
    }

    std::uint32_t available() const noexcept { return word_.load() / one; }

private:
    using Word = core::Atomic<std::uint32_t>;
    static constexpr std::uint32_t has_waiters = 1;
    static constexpr std::uint32_t one = 2;  // permit

    /// Hands permits off from the head of the queue on, and stops at the first waiter that asks for more than are left.
    struct Handoff final : core::WakeVisitor {
        explicit Handoff(Word& permits) noexcept : word(permits) {}
        Decision decide(const core::Waiter& waiter) noexcept override {
            return word.load() / one >= waiter.request() ? Decision::take : Decision::stop;
        }
        core::WakeToken take(const core::Waiter& waiter) noexcept override {
            word.fetch_sub(static_cast<std::uint32_t>(waiter.request()) * one);
            return core::WakeToken::handed_off;
        }
        void finish(bool queue_is_empty) noexcept override {
            if (queue_is_empty) word.fetch_and(~has_waiters);
        }
        Word& word;
    };

    void wake() noexcept {
        Handoff handoff(word_);
        core::table_for(&word_).wake_while(&word_, handoff);
    }

    Word word_;
};

class FairSemaphore::Acquire {
public:
    using Result = Permits;
    static constexpr const char* name = "FairSemaphore::acquire";

    Acquire(FairSemaphore& semaphore, std::uint32_t count) noexcept : semaphore_(semaphore), count_(count) {}

    const void* key() const noexcept { return semaphore_.get(); }
    std::uint64_t request() const noexcept { return count_; }

    bool try_now() noexcept {
        std::uint32_t seen = semaphore_->word_.load();
        while (can_take(seen, count_))
            if (semaphore_->word_.compare_exchange_weak(seen, seen - count_ * one)) return true;
        return false;
    }

    /// Takes the permits, or notes that a waiter is queued: one step, under the queue's lock.
    core::WaitCheck check() noexcept {
        return {&semaphore_->word_, count_, [](void* address, std::uint64_t count) noexcept {
                    Word& word = *static_cast<Word*>(address);
                    std::uint32_t seen = word.load();
                    while (true) {
                        const bool can = can_take(seen, static_cast<std::uint32_t>(count));
                        const std::uint32_t next =
                            can ? seen - static_cast<std::uint32_t>(count) * one : seen | has_waiters;
                        if (word.compare_exchange_weak(seen, next)) return !can;
                    }
                }};
    }

    bool woken(core::WakeToken token) const noexcept { return token == core::WakeToken::handed_off; }

    void give_back(core::WakeToken token) const noexcept {
        if (token == core::WakeToken::handed_off) semaphore_->release(count_);
    }

    /// It has waited in vain. What it asked for may have been too much, and what the waiters behind it ask for is there.
    void left() const noexcept { semaphore_->wake(); }

    Permits result(core::Ending ending) noexcept {
        const bool is_done = core::to_wait_result(ending) == futon::WaitResult::ok;
        return is_done ? Permits(semaphore_.get(), Release{count_}) : nullptr;
    }

private:
    static bool can_take(std::uint32_t seen, std::uint32_t count) noexcept {
        return (seen & has_waiters) == 0 && seen / one >= count;
    }

    core::Target<FairSemaphore> semaphore_;
    std::uint32_t count_;
};

inline FairSemaphore::Acquire FairSemaphore::acquiring(std::uint32_t count) noexcept {
    return Acquire(*this, count);
}

}  // namespace example
