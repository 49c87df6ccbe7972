// SPDX-License-Identifier: MIT
#pragma once

#include <futon/core/wait_table.hpp>

#include "platform/parker.hpp"

namespace futon::core {

/// A waiter that is a blocked thread: being delivered unparks it. Lives on that thread's stack.
class BlockedWaiter : public Waiter {
public:
    bool enqueue(WaitCheck check) noexcept { return process_table().enqueue(*this, check); }

    /// Sleeps until the waiter is delivered.
    void park() noexcept { parker_.park(); }

    /// Sleeps until the waiter is delivered or `moment` has come; then returns false.
    bool park_until(std::chrono::steady_clock::time_point moment) noexcept { return parker_.park_until(moment); }

private:
    void deliver() noexcept override { parker_.unpark(); }

    platform::Parker parker_;
};

}  // namespace futon::core
