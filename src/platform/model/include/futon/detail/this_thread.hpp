// SPDX-License-Identifier: MIT
#pragma once

#include <futon/explorer/kernel.hpp>

namespace futon {
class Agent;
}

namespace futon::detail {

inline Agent*& this_agent_slot() noexcept {
    return reinterpret_cast<Agent*&>(explorer::fiber_slot());
}

inline Agent* this_agent() noexcept {
    return this_agent_slot();
}

}  // namespace futon::detail
