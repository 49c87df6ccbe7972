// SPDX-License-Identifier: MIT
// How a thread of JavaScript blocks.
#include "environment.hpp"

#include <algorithm>
#include <chrono>

namespace futon::node {

using Clock = std::chrono::steady_clock;

/// How often a blocked thread checks whether Node is ending it, if its loop cannot be watched.
static constexpr std::chrono::milliseconds slice{20};

bool Environment::may_run_javascript() noexcept {
    const HandleScope scope(env_);
    napi_value nothing = nullptr;
    napi_value undefined = nullptr;
    napi_value result = nullptr;
    return napi_get_reference_value(env_, nothing_, &nothing) == napi_ok &&
           napi_get_undefined(env_, &undefined) == napi_ok &&
           napi_call_function(env_, undefined, nothing, 0, nullptr, &result) == napi_ok;
}

Environment::Wake Environment::sleep_watched(InterruptibleWaiter& waiter, Deadline deadline) noexcept {
    const LoopWatch::Blocked blocked(loop_watch_, waiter);
    while (true) {
        bool is_delivered = false;
        if (!blocked.is_watched()) {
            is_delivered = waiter.wait_until(std::min(Clock::now() + slice, deadline.time_point()));
        } else if (deadline.is_never()) {
            is_delivered = waiter.wait();  // to set a timer takes as long as to sleep and to be woken
        } else {
            is_delivered = waiter.wait_until(deadline.time_point());
        }
        if (is_delivered) return Wake::delivered;
        if (deadline.is_due()) return Wake::due;
        if (!may_run_javascript()) return Wake::ended;
    }
}

std::optional<WaitResult> Environment::sleep(InterruptibleWaiter& waiter, core::WaitQueues& table,
                                             Deadline deadline) noexcept {
    note_awake();  // it computes or blocks, and does not look
    const Wake wake = sleep_watched(waiter, deadline);
    if (waiter.drain() || wake == Wake::delivered) return waiter.result();
    if (wake == Wake::ended) return std::nullopt;
    if (table.dequeue(waiter, WaitResult::timed_out)) return WaitResult::timed_out;
    waiter.wait_for_delivery();  // [once] another thread dequeued it first
    return waiter.result();
}

Environment::Wake Environment::sleep(InterruptibleWaiter& waiter, Deadline deadline) noexcept {
    note_awake();
    const Wake wake = sleep_watched(waiter, deadline);
    return waiter.drain() ? Wake::delivered : wake;
}

}  // namespace futon::node
