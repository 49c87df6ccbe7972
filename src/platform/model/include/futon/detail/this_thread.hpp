// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

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

/// Every schedule draws the same number, so trials are in order.
inline std::uint32_t draw() noexcept {
    return 0;
}

}  // namespace futon::detail
