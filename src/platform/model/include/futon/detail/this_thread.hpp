// SPDX-License-Identifier: MIT
#pragma once

#include "kernel.hpp"

namespace futon {
class Agent;
}

namespace futon::detail {

inline Agent*& this_agent_slot() noexcept {
    return reinterpret_cast<Agent*&>(model::fiber_slot());
}

}  // namespace futon::detail
