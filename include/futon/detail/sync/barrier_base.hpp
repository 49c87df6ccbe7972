// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>
#include <utility>

#include <futon/agent.hpp>
#include <futon/core/driver/await.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/core/probe.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/sync/ways_to_wait.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/limits.hpp>
#include <futon/wait_result.hpp>

namespace futon {

/// The part of every barrier that does not depend on its completion function: the phases, and the waits for their ends.
/// `Barrier` says what its functions do.
class FUTON_API BarrierBase {
public:
    /// The phase that an arrival belongs to, which is what to wait for. A value: it may be copied, and waited for
    /// again.
    class [[nodiscard]] Arrival {
    private:
        friend class BarrierBase;
        friend class Waiting;
        constexpr Arrival(std::uint32_t phase, bool is_last) noexcept : phase_(phase), is_last_(is_last) {}
        std::uint32_t phase_;
        bool is_last_;  // [last-touch] it ended the phase: the barrier may be gone
    };

    /// "Wait until the phase is over" as an operation.
    class FUTON_API FUTON_WARN_UNUSED Waiting : public detail::WaitingForState {
    public:
        static constexpr const char* name = "futon::Barrier::wait";

        Waiting(BarrierBase& barrier, Arrival arrival) noexcept : barrier_(barrier), arrival_(arrival) {}
        const void* key() const noexcept { return barrier_.get(); }
        bool try_now() const noexcept { return barrier_->try_wait(arrival_); }
        bool try_spinning() const noexcept { return barrier_->try_wait_spinning(arrival_); }
        core::WaitCheck check() const noexcept {
            return {&barrier_->word_, expected(), &BarrierBase::must_wait, core::FoundBy::note};
        }

    private:
        std::uint64_t expected() const noexcept { return arrival_.is_last_ ? no_phase : arrival_.phase_; }
        static constexpr std::uint64_t no_phase = ~std::uint64_t{0};

        core::Target<BarrierBase> barrier_;
        Arrival arrival_;
    };

    /// The largest number of participants.
    static constexpr std::uint32_t max() noexcept { return static_cast<std::uint32_t>(counts); }

    BarrierBase(const BarrierBase&) = delete;
    BarrierBase& operator=(const BarrierBase&) = delete;

    /// Whether the phase of this arrival is over.
    [[nodiscard]] bool try_wait(Arrival arrival) const noexcept {
        return arrival.is_last_ || phase_of(word_.load(std::memory_order_acquire)) != arrival.phase_;  // [signal]
    }

    /// Blocks until the phase of this arrival is over, or the limits are.
    WaitResult wait(Arrival arrival);
    [[nodiscard]] WaitResult wait(Arrival arrival, const Limits& limits);

    /// `wait` for coroutines.
    core::Await<Waiting> wait_async(Arrival arrival, Limits limits = {}) {
        return core::await(waiting(arrival), std::move(limits));
    }

    /// `wait` as an operation.
    Waiting waiting(Arrival arrival) noexcept { return Waiting(*this, arrival); }

protected:
    explicit BarrierBase(std::uint64_t participants);
    ~BarrierBase() = default;

    /// Counts arrivals, and how many of them drop out, in one step.
    Arrival count(std::uint64_t arrivals, std::uint32_t dropped) {
        std::uint64_t seen = word_.load(std::memory_order_relaxed);  // the exchange decides
        while (true) {
            if (arrivals == 0 || arrivals > left_of(seen)) [[unlikely]]
                throw_not_expected(arrivals);
            const std::uint64_t next = seen - arrivals * one_left - dropped * one_expected;
            if (word_.compare_exchange_weak(seen, next, std::memory_order_acq_rel,  // [signal]
                                            std::memory_order_relaxed))             // the loop retries
                return {phase_of(seen), left_of(next) == 0};
        }
    }

    /// Whether this was the last arrival of its phase, which advances the barrier.
    static bool is_last(Arrival arrival) noexcept { return arrival.is_last_; }

    /// Ends the phase and releases its waiters. Only the last arrival of the phase calls it.
    void advance() noexcept {
        std::uint64_t seen = word_.load(std::memory_order_relaxed);  // the exchange decides
        // [last-touch] The exchange.
        while ((seen & has_waiters) == 0)
            if (word_.compare_exchange_weak(seen, next_phase(seen), std::memory_order_release,  // [signal]
                                            std::memory_order_relaxed))                         // the loop retries
                return;
        release_all();
    }

private:
    // The word, by its bits.
    //
    //     bits         means                                   changed by
    //     has_waiters  a waiter of this phase may be queued:   set by a check that must wait, under the queue's lock;
    //                  never clear while one is                cleared with the change of the phase, under the same lock
    //     left         how many arrivals the phase still       an arrival; the change of the phase makes it `expected`
    //                  needs; at zero the last is ending it
    //     expected     the participants of the next phase      an arrival that drops out
    //     phase        the number of the phase; wraps          the last arrival of the phase; with waiters, under the
    //                                                          queue's lock
    //
    // All queued waiters wait for the same phase: an arrival of the next phase comes after the change of the phase, and
    // that change empties the queue in one step under its lock.
    //
    // [last-touch] The arrival that ends the phase touches the barrier last when it changes the phase: from then on a
    // `try_wait` on another thread may succeed, and its caller may destroy the barrier. So if waiters are queued, the
    // phase changes after all of them are dequeued, in the last call of the visitor.
    static constexpr std::uint64_t has_waiters = 1;
    static constexpr int left_shift = 1;
    static constexpr int expected_shift = 21;
    static constexpr int phase_shift = 41;
    static constexpr std::uint64_t counts = (std::uint64_t{1} << 20) - 1;
    static constexpr std::uint64_t one_left = std::uint64_t{1} << left_shift;
    static constexpr std::uint64_t one_expected = std::uint64_t{1} << expected_shift;

    static constexpr std::uint32_t left_of(std::uint64_t word) noexcept {
        return static_cast<std::uint32_t>(word >> left_shift & counts);
    }
    static constexpr std::uint64_t expected_of(std::uint64_t word) noexcept { return word >> expected_shift & counts; }
    static constexpr std::uint32_t phase_of(std::uint64_t word) noexcept {
        return static_cast<std::uint32_t>(word >> phase_shift);
    }
    static constexpr std::uint64_t next_phase(std::uint64_t word) noexcept {
        const std::uint64_t expected = expected_of(word);
        return ((word >> phase_shift) + 1) << phase_shift | expected << expected_shift | expected << left_shift;
    }

    void release_all() noexcept;
    bool try_wait_spinning(Arrival arrival) const noexcept;
    static bool must_wait(void* word, std::uint64_t phase) noexcept;
    [[noreturn]] static void throw_not_expected(std::uint64_t arrivals);

    detail::Atomic<std::uint64_t> word_;
    [[no_unique_address]] core::probe::Lifetime lifetime_;
};

static_assert(sizeof(BarrierBase) == 8);

// The waiting code of tasks is compiled once, in the library: see src/sync/awaits.cpp.
extern template class core::Await<BarrierBase::Waiting>::Waiting;

namespace detail {

struct NoCompletion {
    void operator()() const noexcept {}
};

}  // namespace detail

}  // namespace futon

#include <futon/detail/end.hpp>
