// SPDX-License-Identifier: MIT
#include <optional>

#include <futon/atomics.hpp>
#include <futon/detail/agent_wait.hpp>

#include "core/blocked_waiter.hpp"

namespace futon::detail {

namespace {

/// Ends a blocked wait for a stop token.
struct Cancel {
    core::BlockedWaiter& waiter;

    void operator()() const noexcept {
        if (core::process_table().dequeue(waiter, WaitResult::cancelled)) core::WaitTable::deliver(waiter);
    }
};

}  // namespace

WaitResult wait(core::WaitCheck check, Deadline deadline, const std::stop_token& stop) {
    if (!this_thread_can_block()) [[unlikely]]
        throw_blocking_forbidden("futon::wait");
    if (const std::optional<WaitResult> over = already_over(deadline, stop))
        return core::process_table().must_wait(check) ? *over : WaitResult::not_equal;

    core::BlockedWaiter waiter;
    if (!waiter.enqueue(check)) return WaitResult::not_equal;

    // Declared after the waiter, for it must be gone before it; made under no lock, for it may fire at once.
    std::optional<std::stop_callback<Cancel>> on_stop;
    if (stop.stop_possible()) on_stop.emplace(stop, Cancel{waiter});

    if (deadline.is_never()) {
        waiter.park();
    } else if (!waiter.park_until(deadline.time_point())) {
        if (core::process_table().dequeue(waiter, WaitResult::timed_out)) return WaitResult::timed_out;
        waiter.park();  // [once] somebody else was first: the wake is on its way, and counted
    }
    return waiter.result();
}

}  // namespace futon::detail
