// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>

namespace futon {

/// Which thread or task gets a lock for which others wait.
///
/// In a strict order overtaken is only a task that came too late for an offer that was as long as its loop had shown to need, or whose
/// loop is in a turn longer than any of late. Beside
/// a busy loop that is dear: the lock is idle while the task whose turn it is waits for the end of its loop's job. Threads that hold it
/// for a short time keep a few percent of what they do without that loop.
enum class Fairness : std::uint8_t {
    bounded,  ///< barging, and a direct handoff to the first in the queue once in each `AsyncLock::handoff_threshold`
    strict  ///< a direct handoff to the first in the queue at each unlock: no barging, and each acquisition costs a wake
};

}  // namespace futon

#include <futon/detail/end.hpp>
