// SPDX-License-Identifier: MIT
// How a thread of JavaScript blocks.
#include "environment.hpp"

#include <algorithm>
#include <chrono>

#include "loop_watch.hpp"

namespace futon::node {

using Clock = std::chrono::steady_clock;

namespace {

/// How long a blocked thread sleeps before it has its loop watched; most waits are shorter. If its loop cannot be watched, it
/// checks that often whether Node is ending it.
constexpr std::chrono::milliseconds slice{20};

/// How often it checks that while its loop is watched: for messages that Node sends together with one before, which the
/// thread was not ended for.
constexpr std::chrono::seconds long_slice{2};

}  // namespace

bool Environment::may_run_javascript() noexcept {
    const HandleScope scope(env_);
    napi_value nothing = nullptr;
    napi_value undefined = nullptr;
    napi_value result = nullptr;
    return napi_get_reference_value(env_, nothing_, &nothing) == napi_ok &&
           napi_get_undefined(env_, &undefined) == napi_ok &&
           napi_call_function(env_, undefined, nothing, 0, nullptr, &result) == napi_ok;
}

Environment::Wake Environment::sleep_long(InterruptibleWaiter& waiter, Deadline deadline) noexcept {
    const LoopWatch watch(loop_, waiter);
    while (true) {
        if (!may_run_javascript()) return Wake::ended;
        const Clock::time_point now = Clock::now();
        if (deadline.time_point() <= now) return Wake::due;
        const Clock::time_point next = now + (watch.is_active() ? Clock::duration(long_slice) : Clock::duration(slice));
        if (waiter.wait_until(std::min(next, deadline.time_point()))) return Wake::delivered;
    }
}

std::optional<WaitResult> Environment::sleep(InterruptibleWaiter& waiter, core::WaitQueues& table,
                                             Deadline deadline) noexcept {
    const Clock::time_point end_of_slice = Clock::now() + slice;
    if (waiter.wait_until(std::min(end_of_slice, deadline.time_point()))) return waiter.result();
    const Wake wake = deadline.time_point() <= end_of_slice ? Wake::due : sleep_long(waiter, deadline);
    if (waiter.drain() || wake == Wake::delivered) return waiter.result();
    if (wake == Wake::ended) return std::nullopt;
    if (table.dequeue(waiter, WaitResult::timed_out)) return WaitResult::timed_out;
    waiter.wait_for_delivery();  // [once] another thread dequeued it first
    return waiter.result();
}

}  // namespace futon::node
