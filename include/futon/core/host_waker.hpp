// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/detail/export.hpp>

namespace futon::core {

/// Wakes a host from other threads, and may be called when the loop that it was made for is no more.
///
/// Other threads call a HostedLoop's `wake` while the loop waits for their return. A waker they call when they have let go of the
/// loop: so a host that runs before the call has returned, in which it is woken, runs the loop's jobs at once.
///
/// Threads   any, several at once
/// Lifetime  shared: by the loop, and by each thread that is about to call `wake`
class FUTON_API HostWaker {
public:
    HostWaker() noexcept = default;
    HostWaker(const HostWaker&) = delete;
    HostWaker& operator=(const HostWaker&) = delete;
    virtual ~HostWaker();

    /// As HostedLoop::wake. Does nothing once the loop has ended.
    virtual void wake() noexcept = 0;
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
