// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/detail/export.hpp>

namespace futon::core {

/// Wakes a host from other threads, and may still be called after its loop has ended.
///
/// A thread that calls a HostedLoop's own `wake` makes the loop wait for its return. A waker is called after the thread
/// has let go of the loop, so a host that is woken, and runs before that call returns, can run the loop's jobs at once.
///
/// Threads   any, several at once
/// Lifetime  shared by the loop and by each thread that is about to call `wake`
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
