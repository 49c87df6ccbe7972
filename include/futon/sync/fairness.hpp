// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace futon {

/// Which thread or task gets a lock for which others wait.
enum class Fairness : std::uint8_t {
    bounded,  ///< barging, and a direct handoff to the first in the queue once in each `AsyncLock::handoff_threshold`
    strict  ///< a direct handoff to the first in the queue at each unlock: no barging, and each acquisition costs a wake
};

}  // namespace futon
