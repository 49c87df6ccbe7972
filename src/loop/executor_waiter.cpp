// SPDX-License-Identifier: MIT
#include <futon/core/loop/executor_waiter.hpp>

#include <futon/detail/contract.hpp>

#include "platform/race_detector.hpp"

namespace futon::core {

EnqueueResult ExecutorWaiter::enqueue(WaitQueues& table, const WaitCheck& check, Place place) noexcept {
    phase_.store(Phase::beginning, std::memory_order_relaxed);  // only after the queue's lock can it be delivered
    const EnqueueResult enqueued = AsyncWaiter::enqueue(table, check, place);
    if (enqueued == EnqueueResult::queued) {
        executor().work_started();
    } else {
        phase_.store(Phase::idle, std::memory_order_relaxed);  // only the owner's
    }
    return enqueued;
}

ExecutorWaiter::Delivery ExecutorWaiter::hand_over() noexcept {
    Phase seen = Phase::beginning;
    if (platform::told(phase_).compare_exchange_strong(seen, Phase::waiting)) return Delivery::to_come;
    phase_.store(Phase::idle,
                 std::memory_order_relaxed);  // only the owner's: the job has touched it for the last time
    executor().work_finished();
    return seen == Phase::delivered ? Delivery::came : Delivery::discarded;
}

bool ExecutorWaiter::arrive(Phase phase) noexcept {
    Phase seen = Phase::beginning;
    if (platform::told(phase_).compare_exchange_strong(seen, phase)) return false;  // its owner goes on, and may end it
    phase_.store(Phase::idle, std::memory_order_relaxed);                           // only the owner's
    executor().work_finished();
    return true;
}

void ExecutorWaiter::run() noexcept {
    if (arrive(Phase::delivered)) on_complete(result());
}

void ExecutorWaiter::discard() noexcept {
    if (arrive(Phase::discarded)) on_discard();
}

ExecutorWaiter::Found ExecutorWaiter::end() noexcept {
    const Phase phase = phase_.load();
    if (phase == Phase::idle) return Found::idle;
    detail::expects(phase == Phase::waiting, "a wait must not be destroyed while another thread begins it");
    const bool was_waiting = leave(WaitResult::cancelled);
    detail::expects(
        was_waiting || executor().retract(*this),
        "a wait must not be destroyed while its wake-up is under way to an executor that cannot retract it");
    phase_.store(Phase::idle, std::memory_order_relaxed);  // only the owner's
    executor().work_finished();
    return !was_waiting && result() == WaitResult::ok ? Found::woken : Found::queued;
}

}  // namespace futon::core
