// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <uv.h>

#include "interruptible_waiter.hpp"

namespace futon::node {

/// While it lives, the waiter is interrupted each time that something is sent to the loop of its thread.
///
/// Node tells a blocked thread that it has to end by a message to its loop, among others; native code gets no other notice.
/// One thread of the process watches the loops of all blocked threads, and sleeps until one of them has got something.
class LoopWatch {
public:
    LoopWatch(uv_loop_t& loop, InterruptibleWaiter& waiter) noexcept;
    ~LoopWatch();
    LoopWatch(const LoopWatch&) = delete;
    LoopWatch& operator=(const LoopWatch&) = delete;

    /// False if the system has no more threads or descriptors.
    bool is_active() const noexcept { return id_ != 0; }

private:
    int descriptor_;
    std::uint64_t id_ = 0;
};

}  // namespace futon::node
