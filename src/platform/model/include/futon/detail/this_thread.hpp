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

}  // namespace futon::detail
