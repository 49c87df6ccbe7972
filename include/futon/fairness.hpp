// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>

namespace futon {

/// Which waiter or caller gets a contended lock or semaphore.
///
///     futon::AsyncLock lock(futon::Fairness::strict);
///
/// `bounded` suits most programs. In `strict` order a task is overtaken only if it misses an offer that lasted as long
/// as its loop has lately needed, or if its loop is in a turn longer than any recent one. Strict order is expensive if
/// a loop is busy: the lock is idle until the loop ends its current job and runs the task. Threads that hold the lock
/// only briefly then keep a few percent of their throughput.
enum class Fairness : std::uint8_t {
    bounded,  ///< barging, and a direct handoff to the first waiter once per `AsyncLock::handoff_threshold`
    strict    ///< a direct handoff to the first waiter at each unlock: no barging, and a wake-up for each acquisition
};

}  // namespace futon

#include <futon/detail/end.hpp>
