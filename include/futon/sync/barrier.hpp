// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

#include <futon/agent.hpp>
#include <futon/core/driver/await.hpp>
#include <futon/core/probe.hpp>
#include <futon/detail/sync/barrier_base.hpp>
#include <futon/limits.hpp>
#include <futon/wait_result.hpp>

namespace futon {

/// Holds its participants at the end of each phase until all have arrived; then the next phase begins. Use it where the
/// same threads and tasks work in steps, and each step needs all results of the step before. For a single end, use
/// `Latch`.
///
///     futon::Barrier barrier(3, []() noexcept { swap_buffers(); });
///     barrier.arrive_and_wait();                         // a thread that may block
///     co_await barrier.arrive_and_wait_async();          // a coroutine
///
/// Eight bytes, plus the completion function if it is not empty.
///
/// | to wait for a phase's end              | threads and tasks that may | if the phase goes on       |
/// |----------------------------------------|----------------------------|----------------------------|
/// | wait, arrive_and_wait                  | agents that may block      | blocks                     |
/// | try_wait                               | any                        | returns false              |
/// | wait_async, arrive_and_wait_async      | coroutines                 | the coroutine is suspended |
/// | waiting                                | drivers, `select`          | the driver decides         |
///
/// Completion  the last participant to arrive calls the function, once per phase, before any waiter is released. The
///             function must be declared noexcept, which the compiler checks, and must not use the barrier.
/// Fairness    the end of a phase releases all its waiters at once, in queue order, and none of the next phase.
/// Ordering    everything before each arrival happens before the phase's completion function, and that before
///             everything after the waits.
/// Cancel      a wait that ends by its limit does not undo the arrival: the phase may still end.
/// Lifetime    the arrival that ends a phase does not touch the barrier after a waiter or a `try_wait` could have seen
///             the end, so the caller of either may destroy it.
/// Requires    the barrier is neither destroyed nor moved while a waiter is queued. An arrival is waited for before
///             eight million further phases have ended.
template <class CompletionFunction = detail::NoCompletion>
class Barrier : public BarrierBase {
    static_assert(std::is_nothrow_invocable_v<CompletionFunction&>,
                  "futon::Barrier: the completion function takes no arguments and is noexcept");

public:
    /// The largest number of participants.
    using BarrierBase::max;

    /// Throws  std::invalid_argument if there are no participants, or more than `max()`
    explicit Barrier(std::uint64_t participants, CompletionFunction completion = CompletionFunction())
        : BarrierBase(participants), completion_(std::move(completion)) {}

    /// Arrives `n` times, without waiting. The last arrival of a phase calls the completion function and ends the
    /// phase. Any agent.
    ///
    /// Returns  the arrival, to wait for its phase: a value, which may be copied, and waited for again
    /// Throws   std::logic_error if `n` is zero, or more than the arrivals that the phase still needs; the barrier is
    ///          unchanged then
    /// Cost     a compare-exchange. The last arrival of a phase needs another; if waiters are queued, it takes the
    ///          queue's lock for each batch of 128 instead, and delivers to each waiter
    Arrival arrive(std::uint64_t n = 1) { return end_if_last(count(n, 0)); }

    /// Arrives once, and does not take part in later phases. Once no participant is left, every arrival throws.
    ///
    /// Throws  std::logic_error if the phase needs no more arrivals; the barrier is unchanged then
    void arrive_and_drop() { static_cast<void>(end_if_last(count(1, 1))); }

    /// Whether the phase of an arrival is over: `try_wait(arrival)`. If it returns true, it orders like a wait. Any agent.
    using BarrierBase::try_wait;

    /// Blocks until the phase of an arrival is over, or the limits are: `wait(arrival)`, `wait(arrival, limits)`.
    ///
    /// Returns  `ok`; with limits also `timed_out` or `cancelled`: then the same arrival can be waited for again. A
    ///          phase that is over wins over limits that are over.
    /// Threads  agents that may block.
    /// Throws   BlockingForbidden if the agent may not block, even if the phase is over
    using BarrierBase::wait;

    /// `wait` for coroutines, with the same limits: `co_await` gives what `wait` returns, on this agent. Allocates
    /// nothing.
    ///
    /// Throws  when awaited: NoExecutor if the thread has no executor, or if there is a deadline and the executor keeps
    ///         no timers
    using BarrierBase::wait_async;

    /// `wait` as an operation, for `select` and the drivers of `core`: `waiting(arrival)` yields a WaitResult.
    using BarrierBase::waiting;

    /// Arrives, then waits. If the limits are over first, the arrival still counts.
    ///
    /// Throws  as both; the arrival does not count then
    WaitResult arrive_and_wait() { return arrive_and_wait({}); }
    [[nodiscard]] WaitResult arrive_and_wait(const Limits& limits) {
        if (!detail::this_thread_can_block()) [[unlikely]]
            detail::throw_blocking_forbidden("futon::Barrier::arrive_and_wait");
        const Limits shared = limits.from_now();  // the last arrival may take its time
        return wait(arrive(), shared);
    }

    /// Arrives in this call, and returns an awaitable of the wait.
    ///
    /// Throws  as both, and NoExecutor in this call; the arrival does not count then
    core::Await<Waiting> arrive_and_wait_async(Limits limits = {}) {
        Limits shared = std::move(limits).from_now();
        core::require_timers(Agent::current(), shared.deadline(), "futon::Barrier::arrive_and_wait_async");
        return wait_async(arrive(), std::move(shared));
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

static_assert(sizeof(Barrier<>) == 8 && (std::is_trivially_destructible_v<Barrier<>> || core::probe::is_enabled));

}  // namespace futon

#include <futon/detail/end.hpp>
