// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

#include <futon/agent.hpp>
#include <futon/core/await.hpp>
#include <futon/core/operation.hpp>
#include <futon/deadline.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/stop_token.hpp>
#include <futon/detail/warn_unused.hpp>
#include <futon/sync/ways_to_wait.hpp>
#include <futon/time_limit.hpp>
#include <futon/wait_result.hpp>

namespace futon {

/// What all barriers share, whatever runs at the end of their phases. See `Barrier`.
class FUTON_API BarrierBase {
public:
    /// Which phase an arrival belongs to: what to wait for. A value, which may be copied and waited for again.
    class [[nodiscard]] Arrival {
    private:
        friend class BarrierBase;
        friend class Waiting;
        constexpr Arrival(std::uint32_t phase, bool is_last) noexcept : phase_(phase), is_last_(is_last) {}
        std::uint32_t phase_;
        bool is_last_;  // [last-touch] it ended the phase: the barrier may be gone
    };

    /// "Wait until the phase is over", as an operation.
    class FUTON_API FUTON_WARN_UNUSED Waiting : public detail::WaitingForState {
    public:
        static constexpr const char* name = "futon::Barrier::wait";

        Waiting(BarrierBase& barrier, Arrival arrival) noexcept : barrier_(barrier), arrival_(arrival) {}
        const void* key() const noexcept { return barrier_.get(); }
        bool try_now() const noexcept { return barrier_->try_wait(arrival_); }
        bool try_spinning() const noexcept { return barrier_->try_wait_spinning(arrival_); }
        core::WaitCheck check() const noexcept { return {&barrier_->word_, expected(), &BarrierBase::must_wait}; }

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

    /// Whether the phase of this arrival is over. Any agent. Where it is, this is as good as a wait.
    [[nodiscard]] bool try_wait(Arrival arrival) const noexcept {
        return arrival.is_last_ || phase_of(word_.load(std::memory_order_acquire)) != arrival.phase_;  // [signal]
    }

    /// Blocks until the phase of this arrival is over, the deadline has come, or a stop is requested.
    ///
    /// Returns  `ok`; with limits also `timed_out` or `cancelled`: then the same arrival can be waited for again. A phase that is
    ///          over counts before a limit that has come.
    /// Threads  agents that may block.
    /// Throws   BlockingForbidden on an agent that may not, also if the phase is over
    WaitResult wait(Arrival arrival);
    [[nodiscard]] WaitResult wait(Arrival arrival, TimeLimit limit, const std::stop_token& stop = {});
    [[nodiscard]] WaitResult wait(Arrival arrival, const std::stop_token& stop);

    /// An awaitable that gives what `wait` returns, now or later, on this agent. Allocates nothing.
    ///
    /// Throws  NoExecutor, when awaited on a thread without an executor, or with a deadline on one that keeps no timers
    core::Await<Waiting> wait_async(Arrival arrival, TimeLimit limit = Deadline::never(), std::stop_token stop = {}) {
        return core::await(waiting(arrival), limit, std::move(stop));
    }
    core::Await<Waiting> wait_async(Arrival arrival, std::stop_token stop) {
        return core::await(waiting(arrival), Deadline::never(), std::move(stop));
    }

    /// The operation that `wait` does, for `select` and the drivers of `core`: it yields a WaitResult.
    Waiting waiting(Arrival arrival) noexcept { return Waiting(*this, arrival); }

protected:
    explicit BarrierBase(std::uint64_t participants);
    ~BarrierBase() = default;

    /// Counts arrivals, and as many that drop out: one step.
    Arrival count(std::uint64_t arrivals, std::uint32_t dropped) {
        std::uint64_t seen = word_.load(std::memory_order_relaxed);  // decided by the exchange
        while (true) {
            if (arrivals == 0 || arrivals > left_of(seen)) [[unlikely]]
                throw_not_expected(arrivals);
            const std::uint64_t next = seen - arrivals * one_left - dropped * one_expected;
            if (word_.compare_exchange_weak(seen, next, std::memory_order_acq_rel,  // [signal]
                                            std::memory_order_relaxed))             // tries again
                return {phase_of(seen), left_of(next) == 0};
        }
    }

    /// Whether it was the last arrival of its phase, which advances the barrier.
    static bool is_last(Arrival arrival) noexcept { return arrival.is_last_; }

    /// Ends the phase, and releases all that wait for it. By its last arrival.
    void advance() noexcept {
        std::uint64_t seen = word_.load(std::memory_order_relaxed);  // decided by the exchange
        // [last-touch] The exchange.
        while ((seen & has_waiters) == 0)
            if (word_.compare_exchange_weak(seen, next_phase(seen), std::memory_order_release,  // [signal]
                                            std::memory_order_relaxed))                         // tries again
                return;
        release_all();
    }

private:
    // The word, by its bits.
    //
    //     bits         means                                   changed by
    //     has_waiters  a waiter may be queued, for the phase   set by a check that must wait, under the queue's lock; cleared
    //                  that goes on: never clear while one is  with the change of the phase, under the queue's lock
    //     left         how many arrivals the phase lacks; at   an arrival; the change of the phase makes it `expected`
    //                  zero its last arrival is ending it
    //     expected     the participants of the next phase      an arrival that drops out
    //     phase        the number of the phase; wraps          the last arrival of the phase; with waiters, under the
    //                                                          queue's lock
    //
    // All that are queued wait for the same phase: an arrival of the next comes after the change of the phase, which leaves
    // the queue empty, in one step under its lock.
    //
    // [last-touch] The change of the phase is the last touch of the barrier by the arrival that ends it: a `try_wait` on
    // another thread may succeed from then on, and its caller may destroy the barrier. With waiters it is made when all of them
    // are dequeued, in the last call of the visitor.
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
};

static_assert(sizeof(BarrierBase) == 8);

namespace detail {

struct NoCompletion {
    void operator()() const noexcept {}
};

}  // namespace detail

/// Lets participants go on together: a phase is over when all of them have arrived, and the next begins.
///
///     futon::Barrier barrier(3, []() noexcept { swap_buffers(); });
///     barrier.arrive_and_wait();                         // a thread that may block
///     co_await barrier.arrive_and_wait_async();          // a coroutine
///
/// Eight bytes, and the completion function if that is not empty.
///
/// | to wait for a phase's end              | threads and tasks that may | if the phase goes on       |
/// |----------------------------------------|----------------------------|----------------------------|
/// | wait, arrive_and_wait                  | agents that may block      | blocks                     |
/// | try_wait                               | any                        | returns false              |
/// | wait_async, arrive_and_wait_async      | coroutines                 | the coroutine is suspended |
/// | waiting                                | drivers, `select`          | as the driver waits        |
///
/// Completion  the function is called once in each phase, by the last to arrive, before any is released. It must not throw:
///             one that is not declared noexcept is not compiled. It must not use the barrier.
/// Fairness  all that wait for a phase are released at once, in the order of their enqueueing, and none of the next.
/// Ordering  what happened before each arrival happens before the completion function of the phase, and that before what
///           follows the waits.
/// Cancel    a wait that ends by its limit takes no arrival back: the phase may end without its caller, who has arrived.
/// Lifetime  the arrival that ends a phase does not touch the barrier after a waiter or a `try_wait` could have seen that, so
///           that one may destroy it.
/// Requires  it is not destroyed or moved while a waiter is queued for it. When an arrival is waited for, fewer than eight
///           million phases have ended since.
template <class CompletionFunction = detail::NoCompletion>
class Barrier : public BarrierBase {
    static_assert(std::is_nothrow_invocable_v<CompletionFunction&>,
                  "futon::Barrier: the completion function takes no arguments and is noexcept");

public:
    /// Throws  std::invalid_argument if there are no participants, or more than `max()`
    explicit Barrier(std::uint64_t participants, CompletionFunction completion = CompletionFunction())
        : BarrierBase(participants), completion_(std::move(completion)) {}

    /// Arrives, `n` times. The last arrival of a phase calls the completion function and ends the phase. Any agent.
    ///
    /// Returns  what to wait for
    /// Throws   std::logic_error if `n` is zero, or more than the phase lacks; the barrier is unchanged
    /// Cost     a compare-exchange; the last arrival of a phase needs another, or where a waiter is queued, the queue's lock for
    ///          each part of 128 that is dequeued, and a delivery for each
    Arrival arrive(std::uint64_t n = 1) { return end_if_last(count(n, 0)); }

    /// Arrives once, and is no participant of the phases that follow. Where no participant is left, all arrivals throw.
    ///
    /// Throws  std::logic_error if the phase lacks no arrival; the barrier is unchanged
    void arrive_and_drop() { static_cast<void>(end_if_last(count(1, 1))); }

    /// `arrive` and `wait`. Where the limit comes first, it has arrived all the same.
    ///
    /// Throws  as both; it has not arrived then
    WaitResult arrive_and_wait() { return arrive_and_wait(Deadline::never()); }
    [[nodiscard]] WaitResult arrive_and_wait(TimeLimit limit, const std::stop_token& stop = {}) {
        if (!detail::this_thread_can_block()) [[unlikely]]
            detail::throw_blocking_forbidden("futon::Barrier::arrive_and_wait");
        const Deadline deadline = limit.deadline();
        return wait(arrive(), deadline, stop);
    }
    [[nodiscard]] WaitResult arrive_and_wait(const std::stop_token& stop) {
        return arrive_and_wait(Deadline::never(), stop);
    }

    /// `arrive`, in this call, and an awaitable of the wait.
    ///
    /// Throws  as both, NoExecutor in this call; it has not arrived then
    core::Await<Waiting> arrive_and_wait_async(TimeLimit limit = Deadline::never(), std::stop_token stop = {}) {
        const Deadline deadline = limit.deadline();
        core::require_timers(Agent::current(), deadline, "futon::Barrier::arrive_and_wait_async");
        return wait_async(arrive(), deadline, std::move(stop));
    }
    core::Await<Waiting> arrive_and_wait_async(std::stop_token stop) {
        return arrive_and_wait_async(Deadline::never(), std::move(stop));
    }

private:
    Arrival end_if_last(Arrival arrival) noexcept {
        if (is_last(arrival)) {
            completion_();
            advance();
        }
        return arrival;
    }

    [[no_unique_address]] CompletionFunction completion_;
};

static_assert(sizeof(Barrier<>) == 8 && std::is_trivially_destructible_v<Barrier<>>);

// What a task does where it must wait is compiled once, in the library: see src/sync/awaits.cpp.
extern template class core::Await<BarrierBase::Waiting>::Waiting;

}  // namespace futon

#include <futon/detail/end.hpp>
